import { expect, test } from 'vitest'
import type { Series } from '../parts/comparison.ts'
import { formatTable, toLine } from '../parts/report.ts'
import type { Result } from '../parts/results.ts'
import { drawChart } from './chart.ts'
import { listCharts } from './charts.ts'
import { toMarkdown } from './markdown.ts'
import { toPage } from './page.ts'

const series = (name: string, better: Series['better'], values: number[]): Series => ({
  ...{ name, unit: better === 'more' ? 'writes/s' : 'ms', better },
  values,
})

const toResult = (benchmark: string, lines: Result['lines'], of?: string): Result => ({
  ...{ benchmark, about: 'What <it> is about.', floor: 'Bare.', peer: 'Another.', of, lines },
  measuredAt: '2026-01-02T03:04:05.678Z',
  machine: {
    ...{ cores: 2, processor: 'A processor', memoryGigabytes: 24, versions: 'Noema 1.2.3' },
    ...{ loadAtStart: 0.5, syncMilliseconds: 0.1 },
  },
  effort: { repetitions: 3, seconds: 1, warmUpSeconds: 0.5 },
})

const rates = toLine({
  what: '64 clients: writes/s',
  noema: series('Noema', 'more', [500, 600, 700]),
  floor: series('raw', 'more', [1_000, 1_000, 1_000]),
  peer: series('SQLite', 'more', [250, 300, 350]),
  target: { min: 0.5 },
  cores: { server: 1.25, PostgreSQL: 0.5 },
})

const growing = [1_000, 10_000].map((size) =>
  toLine(
    {
      what: 'a page: p50',
      noema: series('Noema', 'less', [2, 3, 4]),
      floor: series('raw SQL', 'less', [1, 1, 1]),
    },
    size,
  ),
)

test('a ratio is the median of the ratios of the rounds, above 1 where Noema is better, whichever way the unit points', () => {
  expect(rates.floor?.ratio).toEqual({ median: 0.6, min: 0.5, max: 0.7 })
  expect(rates.peer?.ratio.median).toBe(2)
  expect(growing[0]?.floor?.ratio.median).toBeCloseTo(1 / 3)
  expect(rates.met).toBe(true)
})

test('the table leaves out the columns in which nothing stands, and says below who had the processors', () => {
  expect(formatTable([rates])).toContain('64 clients: writes/s: 1.75 cores: server 1.25, PostgreSQL 0.50')
  expect(formatTable(growing)).not.toMatch(/peer|target/)
  expect(formatTable(growing)).toContain('10,000')
})

test('a chart has a point for each size of each line, and none for what could not be measured', () => {
  const unmeasured = { ...growing[0], noema: { median: Number.NaN, min: Number.NaN, max: Number.NaN } }
  const [first] = listCharts(toResult('events', [...growing], 'events'))
  expect(first?.file).toBe('events-a-page-p50.svg')
  expect(first && drawChart(first.chart).match(/<circle/g)).toHaveLength(4)
  const [without] = listCharts(toResult('events', [unmeasured, growing[1]] as Result['lines'], 'events'))
  expect(without?.chart.lines.map(({ points }) => points.length)).toEqual([1, 2])
})

test('the page and its charts load nothing from elsewhere and escape what is told', () => {
  const page = toPage([toResult('writes', [rates]), toResult('events', growing, 'events')])
  expect(page.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|<link|@import|url\(/)
  expect(page).toContain('What &lt;it&gt; is about.')
  expect(page).toContain('prefers-color-scheme: dark')
})

test('the page of the docs shows the charts that stand beside it', () => {
  const text = toMarkdown([toResult('events', growing, 'events')], 'benchmarks')
  expect(text).toContain('![a page: p50](benchmarks/events-a-page-p50.svg)')
  expect(text).toMatch(/\| size +\| measure +\| unit +\| Noema/)
})
