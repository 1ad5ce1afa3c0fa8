import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detectLanguage } from '../terms/languages.ts'
import { countQueryTerms, findTerms } from '../terms/terms.ts'
import { difficultTexts, prose } from './difficult-texts.fixture.ts'
import { makeSnippet } from './snippet.ts'
import { splitText } from './split-text.ts'
import { splitVersion } from './split-version.ts'

const document = {
  ...{ id: 'd', version: 1, hash: '', title: null, contentType: 'text/plain', status: 'served', source: null },
  ...{ metadata: {}, occurredAt: null, sequence: null, length: 0, stateVersion: 1, createdAt: '', updatedAt: '' },
  provenance: { change: 'c', writtenBy: 'key', trust: null, source: null, receipt: null },
} as const

const withText = (text: string) => {
  const item = { type: 'document', document, text } as unknown as Parameters<typeof splitVersion>[0]['item']
  return { type: 'document', id: 'd', version: 1, fromState: 1, toState: null, item } as const
}

const indexText = (text: string): number => [...splitVersion(withText(text), detectLanguage)].length

/** Processor time of this thread, which other work of the machine does not lengthen. */
const measure = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

const measureTwice = (work: () => unknown): number => Math.min(measure(work), measure(work))

const length = 200_000
const proseText = prose(length)
indexText(proseText)

test.for(Object.entries(difficultTexts))('to index a megabyte of %s takes as long as some prose does', ([, make]) => {
  const text = make(length)
  const each = measureTwice(() => indexText(text)) / Buffer.byteLength(text)
  const ofProse = measureTwice(() => indexText(proseText)) / proseText.length
  expect(each / ofProse).toBeLessThan(20)
})

const cut = (text: string): number => [...splitText(text)].length

const length15 = 15_000_000
const cutProse = measure(() => cut(prose(length15)))

const cutWhole = ['one word', 'no spaces', 'minified JSON', 'hex', 'one emoji', 'Han', 'combining marks', 'line ends']

test.for(cutWhole)('to cut 15 megabytes of %s takes as long as that much prose does', (name) => {
  const make = difficultTexts[name] ?? prose
  const short = make(50_000)
  const text = make((length15 * short.length) / Buffer.byteLength(short))
  expect(measure(() => cut(text)) / cutProse).toBeLessThan(30)
})

const piece = fc.constantFrom(
  ...[
    'a',
    "a's",
    ' ',
    '\n',
    '. ',
    '。',
    '😀',
    '☺\ufe0f',
    '\u200d',
    '日本語',
    'ส',
    'e\u0301',
    '1,000.5',
    '\r\n',
    '"',
    '\t',
  ],
)

test('cutting neither loses nor repeats a character, and bounds each passage', () => {
  const run = fc.tuple(piece, fc.integer({ min: 1, max: 2_500 })).map(([part, times]) => part.repeat(times))
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, run, fc.string({ unit: 'binary' })), { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      let end = 0
      for (const { starts, ends } of splitText(text)) {
        expect(text.slice(end, starts).trim()).toBe('')
        expect(starts).toBeGreaterThanOrEqual(end)
        expect(ends - starts).toBeLessThanOrEqual(2_000)
        expect(text.slice(starts, ends).isWellFormed()).toBe(true)
        end = ends
      }
      expect(text.slice(end).trim()).toBe('')
    }),
    { numRuns: 60 },
  )
})

test('D-50 a word longer than any passage is found by its beginning', () => {
  const word = difficultTexts['base 64']?.(3_000).replaceAll(/\W/g, '') ?? ''
  const [first] = [...splitVersion(withText(`${word} and more`), detectLanguage)]
  for (const query of [word, word.slice(0, 64)])
    expect([...countQueryTerms(query).keys()].every((term) => first?.counts.has(term))).toBe(true)
})

test('an excerpt of a passage that is one sign two thousand times takes ten times as long as one of two hundred', () => {
  const showOften = (times: number) => {
    const text = '☺'.repeat(times)
    const [tokens = []] = findTerms([text], new Set(['☺']))
    expect(makeSnippet({ text, prefix: '' }, tokens).words).toEqual(['☺'])
    return measureTwice(() => {
      for (let left = 300; left > 0; left--) makeSnippet({ text, prefix: '' }, tokens)
    })
  }
  expect(showOften(2_000) / showOften(200)).toBeLessThan(40)
})
