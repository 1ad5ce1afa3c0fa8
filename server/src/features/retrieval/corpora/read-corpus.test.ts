import { array, assert, asyncProperty, constantFrom, integer, record } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { evolve } from '../../knowledge/schema/schema-app.fixture.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)

const call = (method: string, path: string, body?: object, key = member.key) =>
  app.request(method, `/v1/corpora${path}`, { key, ...(body ? { body } : {}) })
const put = async (name: string, parts: object[]) => {
  const { status, body } = await call('PUT', `/${name}`, { parts })
  if (status >= 300) throw new Error(JSON.stringify(body))
}
const write = async (brain: TestBrain, operations: object[]) => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  if (status !== 200) throw new Error(JSON.stringify(body))
}
const document = (id: string, text: string, rest: object = {}) => ({ op: 'document.put', id, text, ...rest })

type Result = { id: string; brain: { id: string; handle: string }; score: number; evidence: string }
const listFound = ({ body }: { body: { data: { results: Result[] } } }) =>
  body.data.results.map(({ id, brain }) => `${brain.handle}/${id}`)

let [north, south] = [{} as TestBrain, {} as TestBrain]
beforeAll(async () => {
  north = await addBrain(app, member, 'north')
  south = await addBrain(app, member, 'south')
  await evolve(south, { op: 'addKind', kind: 'document', fields: [{ name: 'team', type: 'string', indexed: true }] })
  await write(north, [
    document('tide', 'The harbor of the north has a high tide.', { provenance: { source: 'feed' } }),
    { op: 'record.put', id: 'pier', kind: 'harbor', fields: { name: 'northern harbor pier' } },
  ])
  await write(south, [
    document('tide', 'The harbor of the south has a low tide.', { metadata: { team: 'core' } }),
    document('sand', 'Sand moves along the southern harbor.', { metadata: { team: 'edge' } }),
  ])
  await put('coast', [{ brain: 'north' }, { brain: 'south' }])
})

test('COR-02 COR-04 a search finds in all Brains, names the Brain of each result, and leaves a receipt in each', async () => {
  const found = await call('POST', '/coast/search', { q: 'harbor tide', consumerId: 'pilot' })
  expect(found.status, JSON.stringify(found.body)).toBe(200)
  expect(listFound(found).toSorted()).toEqual(['north/pier', 'north/tide', 'south/sand', 'south/tide'])
  const { parts, failed, mode, evidence } = found.body.data
  expect({ failed, mode, evidence }).toEqual({ failed: [], mode: 'lexical', evidence: 'strong' })
  expect(parts).toMatchObject([
    { part: 1, brain: { handle: 'north', id: north.brain.id }, degraded: [{ reason: 'meaning_unavailable' }] },
    { part: 2, brain: { handle: 'south', id: south.brain.id } },
  ])
  for (const [index, brain] of [north, south].entries()) {
    const { receipt } = (await brain.call('GET', `/receipts/${parts[index].receipt}`)).body.data
    const { stateVersion } = parts[index]
    expect(receipt).toMatchObject({ operation: 'search', consumerId: 'pilot', stateVersion })
    const served = Object.values(receipt.served as Record<string, { id: string }[]>).flat()
    const own = listFound(found).filter((name) => name.startsWith(brain.brain.handle))
    expect(served.map(({ id }) => `${brain.brain.handle}/${id}`).toSorted()).toEqual(own.toSorted())
  }
})

test('COR-02 a context quotes from all Brains, and each item says which one it is from', async () => {
  const { status, body } = await call('POST', '/coast/context', { query: 'harbor tide', minEvidence: 'weak' })
  expect(status, JSON.stringify(body)).toBe(200)
  const { context, items, parts, budget } = body.data
  expect(context).toContain('# Context from the Brains of the corpus coast')
  expect(context).toMatch(/document "tide" version 1, of the Brain north/)
  expect(items.map(({ brain, id }: Result) => `${brain.handle}/${id}`)).toContain('south/tide')
  expect(budget.used).toBeGreaterThan(0)
  const receipts = parts.map(({ receipt }: { receipt: string }) => receipt)
  const [ofNorth] = receipts
  const served = (await north.call('GET', `/receipts/${ofNorth}`)).body.data.receipt
  expect(served).toMatchObject({ operation: 'context' })
  const empty = await call('POST', '/coast/context', { query: '  ' })
  expect(empty).toMatchObject({ status: 400, body: { error: { details: [{ path: 'body.query' }] } } })
})

test('COR-02 the items of two Brains with the same id and version are two items of a context', async () => {
  const { items } = (await call('POST', '/coast/context', { query: 'tide', minEvidence: 'weak' })).body.data
  expect(items.filter(({ id }: Result) => id === 'tide')).toHaveLength(2)
})

const filterCases: [object, string][] = [
  [{ source: 'feed' }, 'north/tide'],
  [{ types: ['record'] }, 'north/pier'],
  [{ kinds: ['harbor'] }, 'north/pier'],
  [{ since: '2999-01-01T00:00:00Z' }, ''],
  [{ limit: 1, mode: 'lexical', q: 'sand' }, 'south/sand'],
]

test.each(filterCases)('COR-03 a search of a corpus is filtered as that of a Brain: %j', async (filters, expected) => {
  expect(listFound(await call('POST', '/coast/search', { q: 'harbor', ...filters })).join(' ')).toBe(expected)
})

const partCases: [object[], string][] = [
  [[{ brain: 'north', types: ['document'] }], 'north/tide'],
  [
    [
      { brain: 'north', kinds: ['harbor'] },
      { brain: 'south', sources: ['none'] },
    ],
    'north/pier',
  ],
  [[{ brain: 'north', sources: ['other', 'feed'] }], 'north/tide'],
  [[{ brain: 'south', where: { team: 'edge' } }], 'south/sand'],
  [
    [
      { brain: 'north', asOf: 0 },
      { brain: 'south', where: { team: 'core' } },
    ],
    'south/tide',
  ],
]

test.each(partCases)('COR-03 a part reads what it names of its Brain: %j', async (parts, expected) => {
  await put('part', parts)
  const search = (body: object = {}) => call('POST', '/part/search', { q: 'harbor', ...body })
  expect(listFound(await search()).join(' ')).toBe(expected)
  const read = await call('POST', '/part/context', { query: 'harbor', minEvidence: 'weak' })
  const items = read.body.data.items.map(({ brain, id }: Result) => `${brain.handle}/${id}`)
  expect(items.join(' ')).toBe(expected)
  // A filter of the request adds to those of the part.
  expect(listFound(await search({ source: 'nowhere' }))).toEqual([])
})

test('COR-05 a part that cannot be read is named with its error, and the others answer', async () => {
  const lost = await addBrain(app, member, 'lost')
  await write(lost, [document('wreck', 'A wreck in the harbor.')])
  await put('broken', [...[{ brain: 'lost' }, { brain: 'north', asOf: 999 }, { brain: 'south' }]])
  await lost.call('DELETE', '')
  const { status, body } = await call('POST', '/broken/search', { q: 'harbor' })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.data.parts).toMatchObject([{ part: 3, brain: { handle: 'south' } }])
  expect(body.data.failed).toEqual([
    { part: 1, brain: null, kind: 'not_found', message: 'This part has no Brain that you can read.' },
    { part: 2, brain: 'north', kind: 'validation', message: expect.stringContaining('asOf=999 is ahead') },
  ])
  const filtered = await call('POST', '/coast/context', {
    query: 'harbor',
    metadata: { team: 'core' },
    minEvidence: 'weak',
  })
  expect(filtered.body.data.items).toMatchObject([{ id: 'tide', brain: { handle: 'south' } }])
  expect(filtered.body.data.failed).toMatchObject([{ part: 1, brain: 'north', code: 'index_not_ready' }])
})

test('COR-05 a corpus of which no part can be read is an error that says why', async () => {
  await put('none', [{ brain: 'north', asOf: 999 }])
  const ahead = await call('POST', '/none/search', { q: 'harbor' })
  expect(ahead).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('asOf=999') } } })
  const gone = await addBrain(app, member, 'going')
  await put('none', [{ brain: 'going' }])
  await gone.call('DELETE', '')
  expect(await call('POST', '/none/context', { query: 'harbor' })).toMatchObject({
    status: 404,
    body: { error: { message: expect.stringContaining('no Brain that you can read') } },
  })
  expect((await call('POST', '/unknown/search', { q: 'harbor' })).status).toBe(404)
})

test('COR-06 a Brain that is not open to the caller is like one that is gone, in the corpus and in its answers', async () => {
  const secret = await addBrain(app, member, 'secret')
  await write(secret, [document('plan', 'The secret plan of the harbor.')])
  const gone = await addBrain(app, member, 'deleted')
  await put('mixed', [{ brain: 'secret' }, { brain: 'deleted' }, { brain: 'north' }])
  await gone.call('DELETE', '')
  const guest = await joinOrganization(app, member)
  await app.request('PATCH', `${secret.path}/access`, { headers: member.session, body: { openTo: 'members' } })
  const ask = (method: string, path: string, body?: object) =>
    app.request(method, `/v1/corpora${path}`, { headers: guest.session, ...(body ? { body } : {}) })
  const [hidden, lost, open] = (await ask('GET', '/mixed')).body.data.corpus.parts
  expect([hidden, open]).toEqual([lost, { brain: 'north' }])
  const listed = (await ask('GET', '')).body.data.corpora.find(({ name }: { name: string }) => name === 'mixed')
  expect(listed.parts[0]).toEqual({ brain: null })
  for (const [path, body] of [
    ['/mixed/search', { q: 'harbor plan' }],
    ['/mixed/context', { query: 'harbor plan' }],
  ] as const) {
    const answer = (await ask('POST', path, body)).body
    expect(answer.data.failed.map(({ part: _part, ...rest }: { part: number }) => rest)).toEqual([
      ...Array(2).fill({ brain: null, kind: 'not_found', message: 'This part has no Brain that you can read.' }),
    ])
    expect(JSON.stringify(answer)).not.toContain('secret')
  }
  const taken = await ask('PUT', '/tried', { parts: [{ brain: 'secret' }] })
  const unknown = await ask('PUT', '/tried', { parts: [{ brain: 'nothing' }] })
  expect([taken.status, taken.body.error.message.replace('secret', 'nothing')]).toEqual([
    404,
    unknown.body.error.message,
  ])
  expect(listFound(await call('POST', '/mixed/search', { q: 'harbor plan' }))).toContain('secret/plan')
})

test('COR-02 a corpus ranks as one Brain that has everything does, by words', async () => {
  const words = ['harbor', 'tide', 'pier', 'gull', 'rope', 'sail', 'mast']
  const text = array(constantFrom(...words), { minLength: 1, maxLength: 12 }).map((all) => all.join(' '))
  const documents = array(record({ text, part: integer({ min: 0, max: 3 }) }), { minLength: 4, maxLength: 25 })
  let run = 0
  await assert(
    asyncProperty(documents, array(constantFrom(...words), { minLength: 1, maxLength: 3 }), async (all, query) => {
      run++
      const names = ['whole', 'p0', 'p1', 'p2', 'p3'].map((name) => `${name}-${run}`)
      const [whole, ...parts] = await Promise.all(names.map((name) => addBrain(app, member, name)))
      const toOperation = ({ text: said }: { text: string }, id: number) => document(`d${id}`, said)
      const operations = all.map(toOperation)
      if (whole) await write(whole, operations)
      for (const [index, brain] of parts.entries()) {
        const own = operations.filter((_one, at) => all[at]?.part === index)
        if (own.length > 0) await write(brain, own)
      }
      if (run % 2 === 0) for (const brain of [whole, ...parts]) if (brain) await untilIndexed(app, brain)
      await put(
        'split',
        names.slice(1).map((brain) => ({ brain })),
      )
      const q = query.join(' ')
      const expected = (await whole?.call('GET', `/search?limit=50&mode=lexical&q=${encodeURIComponent(q)}`))?.body.data
      const found = (await call('POST', '/split/search', { q, limit: 50, mode: 'lexical' })).body.data
      const toScores = (results: Result[]) =>
        Object.fromEntries(results.map(({ id, score, evidence }) => [id, `${score.toFixed(2)} ${evidence}`]))
      expect(toScores(found.results)).toEqual(toScores(expected.results))
      const scores = found.results.map(({ score }: Result) => score)
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
    }),
    { numRuns: 8 },
  )
})
