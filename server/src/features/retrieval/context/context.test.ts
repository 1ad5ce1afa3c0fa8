import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)
let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'context')
  const answer = await brain.call('POST', '/batch', {
    operations: [
      {
        op: 'record.put',
        id: 'ada',
        kind: 'person',
        slug: 'ada',
        fields: { name: 'Ada Lovelace', born: 1815, role: 'programmer' },
      },
      {
        op: 'record.put',
        id: 'engine',
        kind: 'machine',
        fields: { name: 'Analytical engine', note: 'a programmer wrote for it' },
      },
      {
        op: 'statement.assert',
        id: 'works',
        subject: { id: 'ada', kind: 'person' },
        predicate: 'works as',
        object: { value: 'programmer' },
        validFrom: '1842-01-01T00:00:00Z',
        validTo: '1843-01-01T00:00:00Z',
      },
      {
        op: 'document.put',
        id: 'notes',
        title: 'Notes on programmers',
        text: 'The first programmer was Ada.\nShe wrote notes.',
        source: { name: 'library' },
      },
    ],
  })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
})

const context = (body: object, on = brain) => on.call('POST', '/context', body)
const listIds = (answer: Awaited<ReturnType<typeof context>>): string[] =>
  answer.body.data.items.map(({ id }: { id: string }) => id).toSorted()

test('QRY-02 D-51 a context holds what matters for a query, each item with its address, within the budget', async () => {
  const { status, body } = await context({ query: 'programmer', consumerId: 'agent' })
  expect(status).toBe(200)
  const { context: text, items, budget, stateVersion } = body.data
  expect(items.map(({ id }: { id: string }) => id).toSorted()).toEqual(['ada', 'engine', 'notes', 'works'])
  const [, mark] = /\[\[(\w+) item 1: /.exec(text) ?? []
  for (const { item, type, id, version } of items) {
    expect(text).toContain(`[[${mark} item ${item}: ${type} "${id}" version ${version}, `)
    expect(text).toContain(`[[${mark} end ${item}]]`)
  }
  expect(text).toContain('> The first programmer was Ada.\n> She wrote notes.')
  expect(text).toContain('> name: Ada Lovelace\n> born: 1815')
  expect(text).toContain('valid from 1842-01-01T00:00:00.000Z, valid until 1843-01-01T00:00:00.000Z')
  expect(text).toContain('"Notes on programmers", source "library"')
  expect(items.find(({ id }: { id: string }) => id === 'works')).toMatchObject({ validTo: '1843-01-01T00:00:00.000Z' })
  expect(budget).toEqual({ tokens: 4_000, used: expect.any(Number), dropped: 0 })
  expect(budget.used).toBeLessThan(1_000)
  expect(stateVersion).toBe(1)
})

test('QRY-04 D-51 the receipt of a context lists the items in it, and none that did not fit', async () => {
  const { items, receipt, budget } = (
    await context({ query: 'programmer', consumerId: 'agent', budget: { tokens: 200 } })
  ).body.data
  expect(budget.used).toBeLessThanOrEqual(200)
  expect(budget.dropped).toBeGreaterThan(0)
  const kept = (await brain.call('GET', `/receipts/${receipt}`)).body.data.receipt
  expect(kept).toMatchObject({ operation: 'context', consumerId: 'agent', current: true })
  const { records, statements, documents } = kept.served
  const ids = [...records, ...statements, ...documents].map(({ id }) => id)
  expect(ids.toSorted()).toEqual(items.map(({ id }: { id: string }) => id).toSorted())
})

test('D-51 a text that another item repeats nearly word for word appears once', async () => {
  const other = await addBrain(app, member, 'copies')
  for (const text of [
    'The first programmer was Ada.\nShe wrote notes.',
    'The first   programmer was Ada. She wrote notes!',
  ])
    await other.call('POST', '/documents', { text })
  await other.call('POST', '/documents', { id: 'another', text: 'The first programmer had a father: Byron.' })
  const ids = listIds(await context({ query: 'first programmer' }, other))
  expect(ids).toHaveLength(2)
  expect(ids).toContain('another')
})

test('D-51 messages are searched by their latest topic', async () => {
  const messages = [
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'Who was the first programmer?' },
    { role: 'assistant', content: 'Ada.' },
    { role: 'user', content: 'What did she write?' },
  ]
  expect(listIds(await context({ messages }))).toContain('notes')
  expect(listIds(await context({ messages: [{ role: 'user', content: 'engine' }] }))).toEqual(['engine'])
})

test('D-51 a message is taken as text, as content, as parts, and as an answer gave it; another field is refused', async () => {
  const parts = [{ type: 'text', text: 'What did she write?' }]
  const answered = { id: 'msg_1', createdAt: '2026-01-01T00:00:00.000Z', runId: 'run_1', operationId: 'opr_1' }
  const call = { type: 'tool-call', toolCallId: 'opr_1', toolName: 'search', input: {} }
  const asked = { content: 'What did she write?' }
  const expected = listIds(await context({ messages: [{ role: 'user', ...asked }] }))
  for (const form of [
    { text: asked.content },
    { parts },
    { ...answered, text: asked.content, parts: [...parts, call] },
  ])
    expect(listIds(await context({ messages: [{ role: 'assistant', ...form }] }))).toEqual(expected)
  for (const wrong of [{}, { text: 'a', name: 'b' }]) {
    const refused = await brain.call('POST', '/context', { messages: [{ role: 'user', ...wrong }] })
    expect([refused.status, refused.body.error.kind]).toEqual([400, 'validation'])
  }
})

test('D-51 the latest question is the query of a conversation, of any length, even at the end of a long message', async () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')
  const latest = { role: 'user', content: 'And the engine?' }
  for (const messages of [
    [{ role: 'user', content: words(100) }, latest],
    [{ ...latest, content: `${words(600)}\n${latest.content}` }],
    [{ ...latest, content: `${latest.content}\n${words(600)}` }],
  ])
    expect(listIds(await context({ messages }))).toEqual(['engine'])
})

test('D-51 kinds, include, validAt and asOf narrow a context', async () => {
  expect(listIds(await context({ query: 'programmer', include: ['record'] }))).toEqual(['ada', 'engine'])
  expect(listIds(await context({ query: 'programmer', kinds: ['machine'] }))).toEqual(['engine'])
  const statements = { query: 'programmer', include: ['statement'] }
  expect(listIds(await context({ ...statements, validAt: '1842-06-01T00:00:00Z' }))).toEqual(['works'])
  expect(listIds(await context({ ...statements, validAt: '1850-01-01T00:00:00Z' }))).toEqual([])
  const other = await addBrain(app, member, 'past')
  await other.call('PUT', '/records/r', { kind: 'k', fields: { name: 'programmer' } })
  await other.call('DELETE', '/records/r')
  expect(listIds(await context({ query: 'programmer' }, other))).toEqual([])
  const past = await context({ query: 'programmer', asOf: 1 }, other)
  expect([listIds(past), past.body.data.stateVersion]).toEqual([['r'], 1])
  expect((await context({ query: 'programmer', asOf: 9 }, other)).status).toBe(400)
})

test('D-51 a statement that holds at validAt is found among any number that say the same of other times', async () => {
  const other = await addBrain(app, member, 'times')
  const year = (at: number) => new Date(Date.UTC(1700 + at, 0)).toISOString()
  const said = (at: number) => ({
    op: 'statement.assert',
    id: `s${at}`,
    subject: { id: '$ref:acme', kind: 'company' },
    predicate: 'is led by',
    object: { value: `chief number ${at}` },
    validFrom: year(at),
    validTo: year(at + 1),
  })
  const company = { op: 'record.create', ref: 'acme', kind: 'company', fields: { name: 'Acme' } }
  await other.call('POST', '/batch', { operations: [company, ...Array.from({ length: 250 }, (_, at) => said(at))] })
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, other)
    for (const at of [0, 120, 249]) {
      const question = { query: 'Which chief is Acme led by?', include: ['statement'], validAt: year(at) }
      expect(listIds(await context(question, other))).toEqual([`s${at}`])
    }
  }
})

test('D-51 a context says so where it did not look through all that matches', async () => {
  const other = await addBrain(app, member, 'bygone')
  const said = (at: number) => ({
    op: 'statement.assert',
    id: `s${at}`,
    subject: { id: 'acme', kind: 'company' },
    predicate: 'is led by',
    object: { value: `chief number ${at}` },
    validTo: '1800-01-01T00:00:00.000Z',
  })
  await other.call('PUT', '/records/acme', { kind: 'company', fields: { name: 'Acme' } })
  for (let from = 0; from < 6_500; from += 500)
    await other.call('POST', '/batch', { operations: Array.from({ length: 500 }, (_, at) => said(from + at)) })
  await untilIndexed(app, other)
  const question = { query: 'chief', include: ['statement'], validAt: '1900-01-01T00:00:00.000Z' }
  const { items, degraded } = (await context(question, other)).body.data
  expect(items).toEqual([])
  expect(degraded).toContainEqual({ reason: 'not_all_examined', message: expect.any(String) })
})

test('D-51 stretches of one document are one item, in the order of its text', async () => {
  const other = await addBrain(app, member, 'long')
  const filler = Array.from(
    { length: 40 },
    (_, index) => `Sentence number ${index} is about nothing in particular at all.`,
  ).join(' ')
  const text = `The zebra is first.\n\n${filler}\n\n${filler.replaceAll('nothing', 'something')} \n\nThe zebra is last.`
  await other.call('POST', '/documents', { id: 'long', text })
  const { items, context: shown } = (await context({ query: 'zebra' }, other)).body.data
  expect(items).toHaveLength(1)
  expect(shown.indexOf('zebra is first')).toBeLessThan(shown.indexOf('zebra is last'))
  expect(shown).toContain('> […]')
  const [first, last] = [items[0].spans[0], items[0].spans.at(-1)]
  expect(text.slice(first.start, first.end)).toContain('zebra is first')
  expect(text.slice(last.start, last.end)).toContain('zebra is last')
})

test('D-51 adjacent turns of a conversation are in their order', async () => {
  const other = await addBrain(app, member, 'talk')
  const turns = [
    'Where is the zebra?',
    'Which zebra do you mean: the zebra, the zebra or the zebra?',
    'The striped zebra.',
  ]
  for (const [position, text] of turns.entries())
    await other.call('POST', '/documents', { id: `turn-${position}`, text, sequence: { id: 'talk', position } })
  const { items } = (await context({ query: 'zebra' }, other)).body.data
  expect(items.map(({ id }: { id: string }) => id)).toEqual(['turn-0', 'turn-1', 'turn-2'])
})

test.each([
  [{}],
  [{ query: 'a', messages: [{ role: 'user', content: 'a' }] }],
  [{ query: ' ' }],
  [{ messages: [] }],
  [{ messages: [{ role: 'user', content: 'a', name: 'b' }] }],
  [{ messages: [{ role: 'nobody', content: 'a' }] }],
  [{ query: 'a', unknown: 1 }],
  [{ query: 'a', budget: { tokens: 199 } }],
  [{ query: 'a', budget: { tokens: 100_001 } }],
  [{ query: 'a', budget: { tokens: 1_000, more: 1 } }],
  [{ query: 'a', include: ['records'] }],
  [{ query: 'a', kinds: ['a b'] }],
  [{ query: 'a', kinds: [] }],
  [{ query: 'a', validAt: 'yesterday' }],
  [{ query: 'a', limit: 101 }],
  [{ query: 'a', consumerId: '' }],
  [{ query: 'x'.repeat(4_001) }],
])('QRY-02 SUR-07 the body is strict: %j is refused', async (body) => {
  expect(await context(body)).toMatchObject({ status: 400, body: { error: { kind: 'validation' } } })
})
