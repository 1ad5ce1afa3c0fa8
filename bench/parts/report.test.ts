import { expect, test } from 'vitest'
import type { Series } from './comparison.ts'
import { toMarkdown } from './markdown.ts'
import { type Answered, compareNdcg } from './relevance.ts'
import { formatTable, toLine } from './report.ts'

const series = (name: string, better: Series['better'], values: number[]): Series => ({
  ...{ name, unit: better === 'more' ? 'writes/s' : 'ms', better },
  values,
})

const rates = toLine({
  what: '64 clients: writes/s',
  noema: series('Noema', 'more', [500, 600, 700]),
  floor: series('raw', 'more', [1_000, 1_000, 1_000]),
  peer: series('SQLite', 'more', [250, 300, 350]),
  target: { min: 0.5 },
  cores: { server: 1.25, PostgreSQL: 0.5 },
})

const reads = toLine({
  what: 'a page: p50',
  noema: series('Noema', 'less', [2, 3, 4]),
  floor: series('raw SQL', 'less', [1, 1, 1]),
})

test('a ratio is the median of the ratios of the rounds, above 1 where Noema is better, whichever way the unit points', () => {
  expect(rates.floor?.ratio).toEqual({ median: 0.6, min: 0.5, max: 0.7 })
  expect(rates.peer?.ratio.median).toBe(2)
  expect(reads.floor?.ratio.median).toBeCloseTo(1 / 3)
  expect(rates.met).toBe(true)
})

test('the table omits empty columns and lists the CPU use of each process below', () => {
  expect(formatTable([rates])).toContain('64 clients: writes/s: 1.75 cores: server 1.25, PostgreSQL 0.50')
  expect(formatTable([reads])).not.toMatch(/peer|target/)
})

test('the page of the docs has a table for each benchmark, and says on what it was measured', () => {
  const text = toMarkdown([{ name: 'writes', about: 'Writes.', floor: 'Bare.', peer: 'Another.', lines: [rates] }], {
    measuredAt: new Date('2026-01-02T03:04:05.678Z'),
    machine: {
      ...{ cores: 2, processor: 'A processor', memoryGigabytes: 24, versions: 'Noema 1.2.3' },
      ...{ loadAtStart: 0.5, syncMilliseconds: 0.1 },
    },
    effort: { repetitions: 3, seconds: 1, warmUpSeconds: 0.5 },
  })
  expect(text).toMatch(/## writes\n\nWrites\.\n\nFloor: Bare\.\n\nPeer: Another\.\n\n\| measure +\| unit +\| Noema/)
  expect(text).toContain('2026-01-02, 3 rounds of 1 s; 2 cores')
})

test('a difference of two ways to answer has an interval: without 0 if most questions agree, around 0 if they do not', () => {
  const answer = (isFound: boolean): Answered => ({
    question: { text: 'q', category: '', relevant: new Set(['a']) },
    ...{ ids: isFound ? ['a'] : ['b'], milliseconds: 0 },
  })
  const all = (find: (at: number) => boolean) => Array.from({ length: 60 }, (_, at) => answer(find(at)))
  const better = compareNdcg(
    all(() => true),
    all((at) => at % 3 === 0),
  )
  expect(better.mean).toBeCloseTo(2 / 3)
  expect(better.low).toBeGreaterThan(0.5)
  expect(better.high).toBeLessThan(0.8)
  const mixed = compareNdcg(
    all((at) => at % 2 === 0),
    all((at) => at % 2 === 1),
  )
  expect(mixed.mean).toBeCloseTo(0)
  expect(mixed.low).toBeLessThan(0)
  expect(mixed.high).toBeGreaterThan(0)
})
