import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { fiveLanguages } from '../../../test/five-languages.ts'
import { difficultTexts, prose } from '../lexical-index/difficult-texts.fixture.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'
import { detectLanguage, languages } from '../terms/languages.ts'
import { tokenize } from '../terms/terms.ts'

const english = [
  'Every invoice is paid within thirty days.',
  'The war of the tariffs ended when it was agreed to die down.',
]

let app: TestApp
let brain: TestBrain
let inEnglish: TestBrain

const questions = Object.entries(fiveLanguages).flatMap(([language, rules]) =>
  rules.map(({ topic, question }) => ({ id: `${language}-${topic.replace(' ', '-')}`, question })),
)

const anyDifficult = fc
  .tuple(fc.constantFrom(...Object.values(difficultTexts)), fc.nat(3_000))
  .map(([make, length]) => make(length))

type Result = { id: string; evidence: string; snippet: string; highlights: { start: number; end: number }[] }

const search = async (q: string, of = brain, more = ''): Promise<Result[]> =>
  (await of.call('GET', `/search?q=${encodeURIComponent(q)}&mode=lexical&limit=5${more}`)).body.data.results

/** The share of questions whose answer is the first result. */
const measure = async (): Promise<number> => {
  let right = 0
  for (const { id, question } of questions) if ((await search(question))[0]?.id === id) right++
  return right / questions.length
}

beforeAll(async () => {
  app = await startTestApp({ NOEMA_EMBEDDINGS: 'off' })
  const member = await createMember(app)
  brain = await addBrain(app, member, 'languages')
  inEnglish = await addBrain(app, member, 'english')
  const put = (id: string, text: string) => ({ op: 'document.put', id, text })
  const rules = Object.entries(fiveLanguages).flatMap(([language, of]) =>
    of.map(({ topic, text }) => put(`${language}-${topic.replace(' ', '-')}`, text)),
  )
  await brain.call('POST', '/batch', { operations: [...rules, ...english.map((text, n) => put(`en-${n}`, text))] })
  await inEnglish.call('POST', '/batch', { operations: english.map((text, n) => put(`en-${n}`, text)) })
})
afterAll(() => app.close())

test('LNG-01 questions in five languages find the text that has their words in other forms, before it is indexed and after', async () => {
  const before = await measure()
  expect(before).toBeGreaterThanOrEqual(0.9)
  await untilIndexed(app, brain)
  expect(await measure()).toBe(before)
})

test('LNG-02 English is found as before next to other languages: their grammar takes no word from a question in English', async () => {
  for (const q of ['the war of tariffs', 'did the war die'])
    for (const of of [brain, inEnglish]) expect((await search(q, of))[0]?.id).toBe('en-1')
})

test('LNG-03 evidence is judged and words are marked in the language of the text', async () => {
  const results = await Promise.all(
    questions.map(async ({ id, question }) => (await search(question)).find((one) => one.id === id)),
  )
  const judged = results.filter((one) => one && one.evidence !== 'none')
  expect(judged.length / questions.length).toBeGreaterThanOrEqual(0.9)
  const [found] = await search('Wann werden Rechnungen gezahlt?')
  const marked = found?.highlights.map(({ start, end }) => found.snippet.slice(start, end))
  expect(marked).toContain('Rechnung')
})

test('LNG-04 records and statements have the words of their language, too, and filters apply', async () => {
  await brain.call('POST', '/records', {
    kind: 'note',
    fields: { text: 'Die Bestellungen für den Lieferanten wurden von den Einkäufern geprüft.' },
  })
  const found = (await brain.call('GET', '/search?q=Bestellung%20eines%20Eink%C3%A4ufers&mode=lexical&types=record'))
    .body.data.results
  expect(found).toHaveLength(1)
  expect(found[0].why[0].words).toEqual(expect.arrayContaining(['bestellungen', 'einkäufern']))
})

test('LNG-05 the language of a text is found by its words, never of English prose, and any text has one answer', () => {
  for (const [language, rules] of Object.entries(fiveLanguages))
    for (const { text } of rules) expect(detectLanguage(text)?.code, text).toBe(language)
  for (const text of [
    ...english,
    prose(2_000),
    'npm install express',
    'const x = await fetch(url)',
    'Kubernetes deployment yaml',
    'Rechnung 01der2die3und4das5, Firma',
  ])
    expect(detectLanguage(text)).toBeUndefined()
  fc.assert(
    fc.property(fc.oneof(anyDifficult, fc.string({ unit: 'grapheme', maxLength: 2_000 })), (text) => {
      expect(detectLanguage(text)).toBe(detectLanguage(text))
      for (const language of languages)
        for (const { term, starts, ends } of tokenize(text, language)) {
          expect(term).not.toBe('')
          expect(ends).toBeGreaterThan(starts)
        }
    }),
    { numRuns: 50 },
  )
})
