import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  addBrain,
  createMember,
  startTestApp,
  type TestApp,
  type TestBrain,
  type TestMember,
} from '../../../test/app.ts'
import { startEmbeddingsEndpoint } from '../../../test/embeddings-endpoint.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../../test/streaming-replica.ts'

// A real standby streams from a real primary. A paused replay shows its last state, so each answer reveals its source.

let servers: ReplicatedPostgres
let app: TestApp
let member: TestMember
let reads: string[] = []
let made = 0
const metricsToken = 'token-of-16-chars'

beforeAll(async () => {
  servers = await startReplicatedPostgres()
  const settings = { NOEMA_DATABASE_URL: servers.url, NOEMA_DATABASE_REPLICA_URLS: servers.replicaUrl }
  app = await startTestApp({ ...settings, NOEMA_METRICS_TOKEN: metricsToken }, { reach: () => servers.url })
  app.app.deps.measures.listen((name, _value, { read, outcome }) => {
    if (name === 'noema_replica_reads_total') reads.push(`${read} ${outcome}`)
  })
  member = await createMember(app)
})
afterAll(async () => {
  await app?.close()
  await servers.close()
})

const newBrain = () => addBrain(app, member, `brain-${++made}`)
const write = (brain: TestBrain, id: string) =>
  brain.call('PUT', `/records/${id}`, { kind: 'note', slug: id, fields: { text: `A word of ${id}.` } })

/** The result of each read that replicas answer: the ids of a Brain's records, and the server that answered. */
const readAll = async (brain: TestBrain, request = app.request) => {
  reads = []
  const call = (method: string, below: string, body?: unknown) =>
    request(method, brain.path + below, { key: brain.key, ...(body === undefined ? {} : { body }) })
  const answers = {
    stream: (await call('GET', '/events')).body.data,
    search: (await call('GET', '/search?q=word&limit=50')).body.data,
    context: (await call('POST', '/context', { query: 'word', limit: 50 })).body.data,
    query: (await call('POST', '/query', { kind: 'note' })).body.data,
  }
  const file = await fetch(`${app.base}${brain.path}/export`, { headers: { authorization: `Bearer ${brain.key}` } })
  const lines = (await file.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  type Item = { id: string }
  const sorted = (ids: string[]) => [...new Set(ids)].sort()
  return {
    ids: {
      stream: sorted(answers.stream.events.map(({ data }: { data: { record: Item } }) => data.record.id)),
      search: sorted(answers.search.results.map(({ id }: Item) => id)),
      context: sorted(answers.context.items.map(({ id }: Item) => id)),
      query: sorted(answers.query.records.map(({ id }: Item) => id)),
      export: sorted(lines.flatMap(({ record }) => (record ? [record.id] : []))),
    },
    header: lines[0].header,
    states: [answers.search.stateVersion, answers.context.stateVersion, answers.query.stateVersion],
    receipt: answers.search.receipt,
    reads,
  }
}

const all = (ids: string[]) => ({ stream: ids, search: ids, context: ids, query: ids, export: ids })
const outcomes = (outcome: string) => Object.keys(all([])).map((read) => `${read} ${outcome}`)

test('EVT-03 D-07 a replica answers with its data, and the primary with later acknowledged writes of any node', async () => {
  const [brain, quiet] = [await newBrain(), await newBrain()]
  await write(brain, 'a')
  await write(quiet, 'q')
  await servers.catchUp()
  await isUsed(1)
  expect(await readAll(brain)).toMatchObject({ ids: all(['a']), states: [1, 1, 1], reads: outcomes('replica') })

  await servers.pause()
  const node = await app.startNode()
  await node.request('PUT', `${brain.path}/records/b`, {
    key: brain.key,
    body: { kind: 'note', fields: { text: 'A word of b.' } },
  })
  expect(await readAll(brain)).toMatchObject({ ids: all(['a', 'b']), states: [2, 2, 2], reads: outcomes('behind') })
  expect((await readAll(brain, node.request)).ids).toEqual(all(['a', 'b']))
  // The other Brains have not changed, so the replica has all of their content.
  expect(await readAll(quiet)).toMatchObject({ ids: all(['q']), reads: outcomes('replica') })

  await servers.resume()
  await servers.catchUp()
  expect(await readAll(brain)).toMatchObject({ ids: all(['a', 'b']), states: [2, 2, 2], reads: outcomes('replica') })
  await node.close()
})

test('EVT-03 pages with more behind them come from a replica that is behind, and the last one from the primary', async () => {
  const brain = await newBrain()
  for (const id of ['a', 'b', 'c']) await write(brain, id)
  await servers.catchUp()
  await servers.pause()
  await write(brain, 'd')
  reads = []
  const found: string[] = []
  for (let [after, hasMore] = ['', true]; hasMore; ) {
    const { data } = (await brain.call('GET', `/events?limit=2${after}`)).body
    found.push(...data.events.map((event: { data: { record: { id: string } } }) => event.data.record.id))
    after = `&after=${data.cursor}`
    hasMore = data.hasMore
  }
  expect(found).toEqual(['a', 'b', 'c', 'd'])
  expect(reads).toEqual(['stream replica', 'stream behind'])
  await servers.resume()
})

test('AUT-04 BRN-05 BRN-06 keys, settings and deletions count at once, whatever the replica still shows', async () => {
  const brain = await newBrain()
  await write(brain, 'old')
  const key = await brain.mintKey(['read'])
  await servers.catchUp()
  await servers.pause()
  await brain.call('PATCH', '', { name: 'Renamed' })
  const renamed = await readAll(brain)
  expect(renamed.header.brain.name).toBe('Renamed')
  expect(renamed.reads).toContain('export behind')
  // The primary stores receipts: this one exists although the replica is paused.
  expect((await brain.call('GET', `/receipts/${renamed.receipt}`)).status).toBe(200)
  const { keys } = (await brain.call('GET', '/keys')).body.data
  await brain.call('DELETE', `/keys/${keys[0].id}`)
  expect((await brain.call('GET', '/search?q=word', undefined, { key })).status).toBe(401)
  await brain.call('DELETE', '')
  for (const below of ['/events', '/search?q=word', '/export'])
    expect((await brain.call('GET', below)).status).toBe(404)
  await app.request('PUT', brain.path, { key: brain.key })
  expect(await readAll(brain)).toMatchObject({ ids: all([]), reads: expect.arrayContaining(['search behind']) })
  await servers.resume()
})

test('a search by meaning reads its vectors where it reads all else', async () => {
  const endpoint = await startEmbeddingsEndpoint()
  const embeds = {
    NOEMA_EMBEDDINGS: 'on',
    NOEMA_EMBEDDINGS_URL: endpoint.url,
    NOEMA_EMBEDDINGS_MODEL: 'words',
  }
  const embedding = await app.startNode(embeds)
  const brain = await newBrain()
  await write(brain, 'a')
  const search = async (request: typeof app.request) =>
    (await request('GET', `${brain.path}/search?q=word&mode=semantic`, { key: brain.key })).body.data
  await expect.poll(() => search(embedding.request)).toMatchObject({ mode: 'semantic', results: [{ id: 'a' }] })
  await servers.catchUp()
  await isUsed(1)
  await servers.pause()
  // Rows that only the primary lacks do not affect a read from the replica.
  await app.database.pool.query('delete from passage_vectors')
  const fresh = await app.startNode(embeds)
  const found = await search(fresh.request)
  expect(found).toMatchObject({ mode: 'semantic', results: [{ id: 'a' }] })
  expect(found.degraded).toBeUndefined()
  await servers.resume()
  for (const node of [fresh, embedding]) await node.close()
  await endpoint.close()
})

const readMetrics = async () =>
  (await fetch(`${app.base}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
const isUsed = (value: 0 | 1) => expect.poll(readMetrics).toContain(`noema_replica_used{replica="1"} ${value}\n`)

test('COR-12 the parts of a corpus are read from a replica, or from the primary where the replica is behind or lost', async () => {
  const [brain, quiet] = [await newBrain(), await newBrain()]
  await write(brain, 'a')
  await write(quiet, 'q')
  const parts = [brain, quiet].map((one) => ({ brain: one.brain.handle }))
  await app.request('PUT', '/v1/corpora/both', { key: member.key, body: { parts } })
  await servers.catchUp()
  await isUsed(1)
  const search = async () => {
    reads = []
    const { body } = await app.request('POST', '/v1/corpora/both/search', { key: member.key, body: { q: 'word' } })
    expect(body.data.failed).toEqual([])
    return [body.data.results.map(({ id }: { id: string }) => id).sort(), reads.toSorted()]
  }
  expect(await search()).toEqual([
    ['a', 'q'],
    ['search replica', 'search replica'],
  ])
  await servers.pause()
  await write(brain, 'b')
  expect(await search()).toEqual([
    ['a', 'b', 'q'],
    ['search behind', 'search replica'],
  ])
  await servers.resume()
  await servers.catchUp()
  await servers.stopStandby()
  expect((await search())[0]).toEqual(['a', 'b', 'q'])
  await servers.startStandby()
  await servers.catchUp()
  await isUsed(1)
})

test('a lost or promoted replica is not read: the primary answers, and metrics show it', async () => {
  const brain = await newBrain()
  await write(brain, 'a')
  await servers.catchUp()
  await isUsed(1)
  await servers.stopStandby()
  const away = await readAll(brain)
  expect(away.ids).toEqual(all(['a']))
  // The node may have looked in between.
  for (const read of away.reads) expect(read).toMatch(/ (failed|away)$/)
  await isUsed(0)

  await servers.startStandby()
  await servers.catchUp()
  await isUsed(1)
  expect(await readAll(brain)).toMatchObject({ reads: outcomes('replica') })
  expect(await readMetrics()).toMatch(/noema_replica_reads_total\{read="export",outcome="replica"\} \d/)

  await servers.promote()
  await isUsed(0)
  expect(await readAll(brain)).toMatchObject({ ids: all(['a']), reads: outcomes('away') })
})
