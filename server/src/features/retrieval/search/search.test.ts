import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)
let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'library')
  await brain.call('PUT', '/records/ada', { kind: 'person', slug: 'ada', fields: { name: 'Ada Lovelace' } })
  const about = { subject: { id: 'ada', kind: 'person' }, predicate: 'wrote' }
  await brain.call('POST', '/statements', { ...about, object: { value: 'the first program' } })
  await brain.call('POST', '/documents', {
    id: 'engines',
    title: 'Engines',
    text: 'The analytical engine was never built. Ada wrote programs for it.',
  })
})

const search = (query: Record<string, string>, on = brain) => on.call('GET', `/search?${new URLSearchParams(query)}`)
const listIds = async (query: Record<string, string>, on = brain): Promise<string[]> => {
  const { status, body } = await search({ mode: 'lexical', ...query }, on)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.results.map(({ id }: { id: string }) => id)
}

test('QRY-01 D-50 a result is addressed, titled, shown by a snippet, and says why it was found', async () => {
  const { status, body } = await search({ q: 'Which PROGRAM did somebody write for engines?', types: 'document' })
  expect(status).toBe(200)
  const { results, mode, degraded, receipt, stateVersion } = body.data
  expect({ mode, degraded: degraded[0].reason, stateVersion }).toEqual({
    mode: 'lexical',
    degraded: 'meaning_unavailable',
    stateVersion: 3,
  })
  expect(degraded[0].message).toMatch(/^The operator turned search by meaning off/)
  expect(results).toMatchObject([{ type: 'document', id: 'engines', version: 1, title: 'Engines' }])
  const { snippet, highlights, why, span, provenance } = results[0]
  const marked = highlights.map(({ start, end }: { start: number; end: number }) => snippet.slice(start, end))
  expect(marked).toEqual(['engine', 'programs'])
  expect(why).toContainEqual({ reason: 'words', words: ['engine', 'programs'] })
  expect(span).toEqual({ start: 0, end: snippet.length })
  expect(provenance.change).toMatch(/^chg_/)
  const read = await brain.call('GET', `/receipts/${receipt}`)
  expect(read.body.data.receipt).toMatchObject({
    operation: 'search',
    stateVersion: 3,
    served: { documents: [{ id: 'engines', version: 1 }] },
  })
})

test('QRY-01 D-50 a document that is found by its title or date alone says so', async () => {
  const titled = await addBrain(app, member, 'titled')
  const texts = { title: 'The Zebra Manual', text: 'It begins elsewhere.', occurredAt: '2026-03-01T12:00:00Z' }
  await titled.call('POST', '/documents', { id: 'd', ...texts })
  const found = async (q: string) => (await search({ q, mode: 'lexical' }, titled)).body.data.results
  expect(await found('zebras')).toMatchObject([{ highlights: [], why: [{ reason: 'words', words: ['zebra'] }] }])
  expect(await found('zebra begin')).toMatchObject([{ why: [{ reason: 'words', words: ['begins', 'zebra'] }] }])
  expect(await found('March 2026')).toMatchObject([{ why: [{ reason: 'words', words: ['march', '2026'] }] }])
})

test('QRY-01 D-50 a search is narrowed by type and kind, and limited', async () => {
  expect(await listIds({ q: 'ada' })).toHaveLength(3)
  expect(await listIds({ q: 'ada', types: 'record' })).toEqual(['ada'])
  expect(await listIds({ q: 'ada', kinds: 'person' })).toHaveLength(2)
  expect(await listIds({ q: 'ada', kinds: 'person', types: 'document,record' })).toEqual(['ada'])
  expect(await listIds({ q: 'ada', kinds: 'company' })).toEqual([])
  expect(await listIds({ q: 'ada', limit: '1' })).toHaveLength(1)
})

test('QRY-01 D-50 a Brain is searched as it was at a state, and a state to come is refused', async () => {
  const past = await addBrain(app, member, 'past')
  await past.call('POST', '/documents', { id: 'd', text: 'The old harbour' })
  await past.call('POST', '/documents', { id: 'd', text: 'The new harbour' })
  await past.call('DELETE', '/documents/d')
  const shown = async (asOf: string) =>
    (await search({ q: 'harbour', asOf }, past)).body.data.results.map(({ snippet }: { snippet: string }) => snippet)
  const inTurn = async () => [await shown('0'), await shown('1'), await shown('2'), await shown('3')]
  expect(await inTurn()).toEqual([[], ['The old harbour'], ['The new harbour'], []])
  await untilIndexed(app, past)
  expect(await inTurn()).toEqual([[], ['The old harbour'], ['The new harbour'], []])
  expect((await search({ q: 'harbour', asOf: '4' }, past)).status).toBe(400)
})

test('QRY-01 words are found in any spelling that means the same, and in scripts without spaces', async () => {
  const scripts = await addBrain(app, member, 'scripts')
  const texts = {
    cafe: 'Running to the Café Zürich on the Straße',
    tokyo: '東京都は日本の首都です',
    korean: '서울은 대한민국의 수도이다',
    cat: '私は猫が好きです',
    water: '나는 물을 마신다',
    thai: 'กรุงเทพเป็นเมืองหลวง',
    arabic: 'القاهرة هي عاصمة مِصر',
    emoji: 'We shipped it 👩🏽‍🚀 today',
    invoice: 'Invoice INV-2024-0042 of 1,250.50 for v2.1.3',
    who: 'The Who',
  }
  for (const [id, text] of Object.entries(texts)) await scripts.call('POST', '/documents', { id, text })
  const queries: Record<string, string> = {
    'CAFE zurich': 'cafe',
    'strasse runs': 'cafe',
    東京: 'tokyo',
    首都: 'tokyo',
    대한민국: 'korean',
    猫: 'cat',
    물: 'water',
    เมืองหลวง: 'thai',
    مصر: 'arabic',
    '👩‍🚀': 'emoji',
    'inv-2024-0042': 'invoice',
    '1250.50': 'invoice',
    'v2.1.3': 'invoice',
    'the who': 'who',
  }
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, scripts)
    for (const [q, id] of Object.entries(queries)) expect((await listIds({ q }, scripts))[0], q).toBe(id)
  }
})

test('QRY-01 a long document is found by its stretch, and the span says where', async () => {
  const long = await addBrain(app, member, 'long')
  const filler = 'Nothing of interest happened on that day, and nobody wrote of it. '.repeat(60)
  const text = `${filler}\n\nThe 🧮 lighthouse keeper counted albatrosses.\n\n${filler}`
  await long.call('POST', '/documents', { id: 'log', text })
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, long)
    const [found] = (await search({ q: 'albatross keeper' }, long)).body.data.results
    expect(text.slice(found.span.start, found.span.end)).toBe(found.snippet)
    expect(found.snippet).toContain('counted albatrosses')
    expect(found.snippet.length).toBeLessThan(400)
  }
})

test('QRY-01 any request is answered or refused, and never fails', async () => {
  const refused: Record<string, string>[] = [
    {},
    { q: '' },
    { q: ' \n ' },
    { q: 'x'.repeat(4_001) },
    { q: 'a\0b' },
    { q: 'ada', mode: 'magic' },
    { q: 'ada', limit: '0' },
    { q: 'ada', limit: '101' },
    { q: 'ada', types: 'thing' },
    { q: 'ada', kinds: '1' },
    { q: 'ada', asOf: 'x' },
    { q: 'ada', consumerId: '' },
  ]
  for (const query of refused) {
    const { status, body } = await search(query)
    expect([status, body.error.kind], JSON.stringify(query)).toEqual([400, 'validation'])
  }
  const answered = [
    '"ada" AND (NOT engine) OR *:* ~2 ^3 +a -b',
    "'; drop table passages; --",
    '\\ % _ & | ! <-> :*',
    '???',
    'ada '.repeat(900),
    Array.from({ length: 700 }, (_, at) => `w${at}`).join(' '),
    '\u0001\u001f\u200b\ufeff',
    '\ud83d',
    '🧮🧮🧮',
    'ａｄａ',
    'the of and',
    '東'.repeat(4_000),
    '🧮'.repeat(2_000),
  ]
  for (const q of answered)
    for (const mode of ['hybrid', 'lexical', 'semantic']) {
      const { status, body } = await search({ q, mode })
      expect([status, Array.isArray(body.data?.results)], q.slice(0, 40)).toEqual([200, true])
    }
})
