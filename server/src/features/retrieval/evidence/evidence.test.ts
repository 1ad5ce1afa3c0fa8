import { asyncProperty, constantFrom, assert as holds, integer, record, subarray } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'
import { findBestEvidence, judge, measureSupport } from './evidence.ts'

// By words alone; evidence-by-meaning.test.ts has the model.

const app = useApp()
const member = useMember(app)
let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'handbook')
  const texts = {
    audit: 'The yearly audit begins in March. Ann keeps its papers in the archive.',
    trip: 'Trains are refunded when the receipts are handed in. Flights need the consent of the board.',
    invoice: 'Invoice INV-2024-0042 was sent to the Harbour Company and is due in thirty days.',
    kitchen: 'The kitchen is cleaned on Fridays by whoever used it last.',
    tokyo: '東京都は日本の首都です',
  }
  const operations = Object.entries(texts).map(([id, text]) => ({ op: 'document.put', id, text }))
  const ann = { op: 'record.put', id: 'ann', kind: 'person', slug: 'ann', fields: { name: 'Ann', role: 'auditor' } }
  await brain.call('POST', '/batch', { operations: [...operations, ann] })
})

type Hit = { id: string; evidence: 'strong' | 'weak' | 'none' }

const search = async (query: Record<string, string>, on = brain) => {
  const { status, body } = await on.call('GET', `/search?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data as { results: Hit[]; evidence: Hit['evidence']; receipt: string }
}
const context = async (asked: object, on = brain) => {
  const { status, body } = await on.call('POST', '/context', asked)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}

test.each([
  ['when does the yearly audit begin?', 'strong', 'audit'],
  ['audit', 'strong', 'audit'],
  ['"consent of the board"', 'strong', 'trip'],
  ['INV-2024-0042', 'strong', 'invoice'],
  ['東京の首都', 'strong', 'tokyo'],
  ['which flights to Lisbon are refunded?', 'weak', 'trip'],
] as const)('D-50 %j has %s evidence', async (q, evidence, id) => {
  const found = await search({ q })
  expect(found.evidence).toBe(evidence)
  expect(found.results[0]).toMatchObject({ id, evidence })
})

test.each([
  'What is our policy on parental leave in Portugal?',
  'zzzzqqqq',
  'ERR-9999-1234',
  'Wie viele Urlaubstage habe ich noch?',
  'How is she?',
  '???',
])('D-50 D-51 nothing here seems to answer %j, which a context says in its first and only line', async (q) => {
  const found = await search({ q })
  expect(found).toMatchObject({ evidence: 'none' })
  expect(found.results.every(({ evidence }) => evidence === 'none')).toBe(true)
  const { context: text, items, evidence, budget, receipt } = await context({ query: q })
  expect({ text, items, evidence }).toEqual({ text: 'Nothing here seems to answer this.', items: [], evidence: 'none' })
  expect(budget.used).toBeLessThan(20)
  expect((await brain.call('GET', `/receipts/${receipt}`)).body.data.receipt.served).toEqual({
    records: [],
    statements: [],
    documents: [],
  })
})

test('D-50 in an empty Brain there is no evidence for anything', async () => {
  const empty = await addBrain(app, member, 'empty')
  expect(await search({ q: 'audit' }, empty)).toMatchObject({ results: [], evidence: 'none' })
  expect(await context({ query: 'audit' }, empty)).toMatchObject({ items: [], evidence: 'none' })
})

test('D-50 in a Brain of one text a question that it answers has evidence, and another has none', async () => {
  const tiny = await addBrain(app, member, 'tiny')
  await tiny.call('POST', '/documents', { text: 'The yearly audit begins in March.' })
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, tiny)
    expect((await search({ q: 'when does the audit begin?' }, tiny)).evidence).toBe('strong')
    expect((await search({ q: 'when does the next audit of the archive begin?' }, tiny)).evidence).toBe('weak')
    expect((await search({ q: 'who won the match of the league in March?' }, tiny)).evidence).toBe('none')
  }
})

test('D-50 evidence is that of the searched state and of the filter of a search', async () => {
  const past = await addBrain(app, member, 'past')
  await past.call('PUT', '/records/ship', { kind: 'ship', fields: { name: 'Beagle' } })
  await past.call('DELETE', '/records/ship')
  const evidence = async (query: Record<string, string>) => (await search({ q: 'Beagle', ...query }, past)).evidence
  expect([await evidence({ asOf: '1' }), await evidence({ asOf: '2' }), await evidence({})]).toEqual([
    'strong',
    'none',
    'none',
  ])
  expect(await evidence({ asOf: '1', kinds: 'ship' })).toBe('strong')
  expect(await evidence({ asOf: '1', kinds: 'captain' })).toBe('none')
})

test('D-50 passages next to the words of a question have their evidence', async () => {
  const talk = await addBrain(app, member, 'talk')
  for (const [position, text] of ['Where did Ada spend the summer?', 'On a boat near Malta.'].entries())
    await talk.call('POST', '/documents', { id: `turn-${position}`, text, sequence: { id: 'talk', position } })
  await talk.call('POST', '/documents', { id: 'alone', text: 'On a bus near the office in summer.' })
  await untilIndexed(app, talk)
  const { items } = await context({ query: 'Where did Ada spend the summer?' }, talk)
  expect(items.map(({ id, evidence }: Hit) => [id, evidence])).toEqual([
    ['turn-0', 'strong'],
    ['turn-1', 'strong'],
  ])
})

test('D-51 a context has weak items only if nothing is strong, and then says so first', async () => {
  const both = 'Who keeps the papers of the yearly audit in the archive, and who is auditor?'
  const strong = await context({ query: both })
  expect(strong).toMatchObject({ evidence: 'strong', context: expect.stringMatching(/^# Context from the Brain/) })
  expect(strong.items.map(({ id }: Hit) => id)).toEqual(['audit'])
  const weak = await context({ query: 'which flights to Lisbon are refunded?' })
  expect(weak).toMatchObject({ evidence: 'weak', items: [{ id: 'trip', evidence: 'weak' }] })
  expect(weak.context).toMatch(/^These findings may not answer this/)
  const least = await context({ query: 'which flights to Lisbon are refunded?', minEvidence: 'strong' })
  expect(least).toMatchObject({ evidence: 'none', items: [], context: 'Nothing here seems to answer this.' })
})

test('D-51 the last question of a conversation is judged alone too, after any earlier messages', async () => {
  const before = 'We spoke of Lisbon, of its hills and trams, of pastries and of the river that widens there.'
  const asked = async (content: string) =>
    (
      await context({
        messages: [
          { role: 'user', content: before },
          { role: 'user', content },
        ],
      })
    ).evidence
  expect(await asked('Thank you. And when is the kitchen cleaned?')).toBe('weak')
  expect(await asked('And who won the match?')).toBe('none')
})

test.each([
  ['GET', '/search?q=audit&minEvidence=none', undefined],
  ['GET', '/search?q=audit&minEvidence=', undefined],
  ['POST', '/context', { query: 'audit', minEvidence: 'some' }],
])('D-50 D-51 %s %s refuses a minEvidence that there is not', async (method, path, body) => {
  const { status, body: answer } = await brain.call(method, path, body)
  expect([status, answer.error.kind]).toEqual([400, 'validation'])
  expect(JSON.stringify(answer)).toContain('minEvidence is weak or strong.')
})

const words = 'audit papers archive March trains flights board kitchen Friday Lisbon parental leave zzzz'.split(' ')

test('D-50 D-51 QRY-04 minEvidence removes results and changes nothing else, and the receipt lists the rest', async () => {
  const asked = record({ q: subarray(words, { minLength: 1 }), mode: constantFrom('hybrid', 'lexical', 'semantic') })
  await holds(
    asyncProperty(asked, async ({ q, mode }) => {
      const query = { q: q.join(' '), mode }
      const all = await search(query)
      const weak = await search({ ...query, minEvidence: 'weak' })
      const strong = await search({ ...query, minEvidence: 'strong' })
      expect(weak.results).toEqual(all.results.filter(({ evidence }) => evidence !== 'none'))
      expect(strong.results).toEqual(all.results.filter(({ evidence }) => evidence === 'strong'))
      for (const found of [all, weak, strong]) expect(found.evidence).toBe(findBestEvidence(found.results))
      const { served } = (await brain.call('GET', `/receipts/${strong.receipt}`)).body.data.receipt
      const ids = [...served.records, ...served.documents].map(({ id }: { id: string }) => id)
      expect(ids.toSorted()).toEqual(strong.results.map(({ id }) => id).toSorted())
      const gathered = await context({ query: query.q })
      expect(gathered.evidence).toBe(findBestEvidence(gathered.items))
      expect(new Set(gathered.items.map(({ evidence }: Hit) => evidence)).size).toBeLessThan(2)
    }),
    { numRuns: 30 },
  )
})

test('D-50 more words met and more alike in meaning is never less evidence', async () => {
  const order = ['none', 'weak', 'strong']
  const percent = integer({ min: 0, max: 100 })
  await holds(
    asyncProperty(percent, percent, percent, percent, async (closeness, coverage, closer, more) => {
      for (const [from, to] of [
        [closeness / 100, (closeness + closer) / 100],
        [Number.NaN, Number.NaN],
      ] as const) {
        const less = judge(measureSupport({ closeness: from, coverage: coverage / 100 }))
        const much = judge(measureSupport({ closeness: to, coverage: Math.min(1, (coverage + more) / 100) }))
        expect(order.indexOf(much)).toBeGreaterThanOrEqual(order.indexOf(less))
      }
    }),
  )
})
