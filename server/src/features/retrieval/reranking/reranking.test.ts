import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp, type TestBrain } from '../../../test/app.ts'
import { useEvals } from '../../evals/eval-runs/use-evals.fixture.ts'

type Asked = { query: string; model?: string; documents?: string[]; texts?: string[]; key: string | undefined }
type Answer = (response: ServerResponse, asked: Asked) => void

/** The number in a text: the relevance that the endpoint returns. */
const toRelevance = (text: string): number => Number(/relevance (\d+)/.exec(text)?.[1] ?? 0)

const send = (response: ServerResponse, status: number, body: unknown): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(typeof body === 'string' ? body : JSON.stringify(body))

const likeCohere: Answer = (response, { documents }) => {
  if (!documents) return send(response, 422, { detail: 'documents is missing' })
  const results = documents.map((text, index) => ({ index, relevance_score: toRelevance(text) }))
  send(response, 200, { results: results.toSorted((a, b) => b.relevance_score - a.relevance_score) })
}

const likeTextEmbeddingsInference: Answer = (response, { texts }) => {
  if (!texts) return send(response, 422, 'Failed to deserialize the JSON body: missing field `texts`')
  send(
    response,
    200,
    texts.map((text, index) => ({ index, score: toRelevance(text) })),
  )
}

const asked: Asked[] = []
let answer: Answer = likeCohere

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const call = { ...JSON.parse(Buffer.concat(chunks).toString()), key: request.headers.authorization }
  asked.push(call)
  answer(response, call)
})

let app: TestApp
let member: Awaited<ReturnType<typeof createMember>>
let brain: TestBrain

const settings = (url: string) => ({
  NOEMA_RERANK_URL: `${url}/v1/`,
  NOEMA_RERANK_MODEL: 'model-1',
  NOEMA_RERANK_API_KEY: 'key-1',
  NOEMA_RERANK_MILLISECONDS: '2000',
})

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  app = await startTestApp(settings(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  member = await createMember(app)
  brain = await addBrain(app, member, 'reranked')
  const operations = Array.from({ length: 30 }, (_, n) => ({
    op: 'document.put',
    id: `d${n}`,
    title: `Title ${n}`,
    text: `The audit, relevance ${(n * 7) % 30}.`,
  }))
  await brain.call('POST', '/batch', { operations })
})
afterAll(async () => {
  await app.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
afterEach(() => {
  answer = likeCohere
  asked.length = 0
  app.clock.advance({ minutes: 2 })
})

const search = async (more = '&rerank=true', of = brain) =>
  (await of.call('GET', `/search?q=audit&limit=5${more}`)).body.data

const ids = ({ results }: { results: { id: string }[] }) => results.map(({ id }) => id)
const best = Array.from({ length: 30 }, (_, n) => n)
  .toSorted((a, b) => ((b * 7) % 30) - ((a * 7) % 30))
  .slice(0, 5)
  .map((n) => `d${n}`)

test('results are in the order of the reranker, which gets more than requested, and say so', async () => {
  const found = await search()
  expect(ids(found)).toEqual(best)
  expect(found.results[0]).toMatchObject({
    score: 29,
    why: expect.arrayContaining([{ reason: 'reranked', relevance: 29 }]),
  })
  expect(found.degraded?.map(({ reason }: { reason: string }) => reason) ?? []).not.toContain('not_reranked')
  expect(asked).toMatchObject([{ query: 'audit', model: 'model-1', key: 'Bearer key-1', documents: { length: 30 } }])
  expect(asked[0]?.documents?.[0]).toMatch(/^Title \d+\nThe audit, relevance \d+\.$/)
  const read = (await brain.call('GET', `/receipts/${found.receipt}`)).body.data
  expect(JSON.stringify(read)).toContain(best[4])
})

test('a search that does not request it is answered without the reranker', async () => {
  for (const more of ['', '&rerank=false']) expect((await search(more)).results).toHaveLength(5)
  expect((await brain.call('POST', '/context', { query: 'audit' })).status).toBe(200)
  expect(asked).toEqual([])
})

test('a context has the items that the reranker puts first, by the question of a conversation', async () => {
  const messages = [
    { role: 'user', content: 'I write a letter.' },
    { role: 'user', content: 'It is long. When is the audit?' },
  ]
  const { items } = (await brain.call('POST', '/context', { messages, rerank: true, limit: 3, minEvidence: 'weak' }))
    .body.data
  expect(asked).toMatchObject([{ query: ' When is the audit?' }])
  expect(items.map(({ id }: { id: string }) => id).toSorted()).toEqual(best.slice(0, 3).toSorted())
})

test('an endpoint that takes texts under their other name gets that name, at once from then on', async () => {
  answer = likeTextEmbeddingsInference
  // Another node knows nothing of the endpoint yet.
  const node = await app.startNode()
  try {
    const ask = () => node.request('GET', `/v1/brains/reranked/search?q=audit&limit=5&rerank=true`, { key: brain.key })
    for (const calls of [2, 3]) {
      expect(ids((await ask()).body.data)).toEqual(best)
      expect(asked).toHaveLength(calls)
    }
  } finally {
    await node.close()
  }
})

test.each([
  ['a failure', (response: ServerResponse) => send(response, 500, 'secret of the endpoint')],
  ['what is no JSON', (response: ServerResponse) => send(response, 200, '<html>')],
  ['too few scores', (response: ServerResponse) => send(response, 200, { results: [] })],
  [
    'two scores of one text',
    (response: ServerResponse, { documents = [] }: Asked) =>
      send(response, 200, { results: documents.map(() => ({ index: 0, relevance_score: 1 })) }),
  ],
  ['half an answer', (response: ServerResponse) => response.destroy()],
] satisfies [string, Answer][])(
  '%s leaves the results in their own order, says so, and is not asked again at once',
  async (_name, failing) => {
    answer = failing
    // The endpoint is asked again a second after a failure.
    app.clock.hold()
    const plain = await search('')
    for (let turn = 0; turn < 2; turn++) {
      const found = await search()
      expect(ids(found)).toEqual(ids(plain))
      expect(found.degraded).toContainEqual({ reason: 'not_reranked', message: expect.stringContaining('No reranker') })
      expect(JSON.stringify(found)).not.toContain('secret')
    }
    expect(asked).toHaveLength(1)
    answer = likeCohere
    app.clock.advance({ minutes: 2 })
    expect(ids(await search())).toEqual(best)
  },
)

test('an endpoint that does not answer is given up in time, and one organization does not have all of its calls', async () => {
  const other = await addBrain(app, await createMember(app), 'other')
  await other.call('POST', '/batch', { operations: [{ op: 'document.put', id: 'd', text: 'The audit, relevance 3.' }] })
  const open: (() => void)[] = []
  const hung = Promise.withResolvers<void>()
  answer = (response, call) => {
    if (call.documents?.length === 1) return likeCohere(response, call)
    open.push(() => likeCohere(response, call))
    if (open.length === 4) hung.resolve()
  }
  const many = Array.from({ length: 12 }, () => search())
  await hung.promise
  expect((await search('&rerank=true', other)).results[0]).toMatchObject({ id: 'd', score: 3 })
  expect(open).toHaveLength(4)
  // Without any answer each call is given up at its timeout, and the results stay as they are.
  for (const found of await Promise.all(many))
    expect(found.degraded).toContainEqual(expect.objectContaining({ reason: 'not_reranked' }))
  expect(open).toHaveLength(4)
})

test('a service without a reranker says so', async () => {
  const plain = await startTestApp()
  try {
    const own = await addBrain(plain, await createMember(plain), 'plain')
    await own.call('POST', '/documents', { text: 'The audit.' })
    const { degraded, results } = await search('&rerank=true', own)
    expect(results).toHaveLength(1)
    expect(degraded).toContainEqual(expect.objectContaining({ reason: 'not_reranked' }))
  } finally {
    await plain.close()
  }
})

test('EVL-41 an eval with rerank grades results in the order of the reranker, and waits for one that is away', async () => {
  const call = (method: string, path: string, body?: unknown) => app.request(method, path, { key: member.key, body })
  const evals = useEvals({ call })
  const grade = async (read: 'search' | 'context', rerank: boolean) => {
    const target = { brain: 'reranked', read, limit: 1, rerank }
    const expected = { found: [{ type: 'document', id: best[0] }] }
    const cases = [{ id: 'best', input: 'audit', expected }]
    return evals.start((await evals.create({ target, cases, graders: [{ type: 'found' }] })).id)
  }
  for (const read of ['search', 'context'] as const) {
    expect(await evals.ended(await grade(read, false))).toMatchObject({ passed: 0 })
    expect(await evals.ended(await grade(read, true))).toMatchObject({ passed: 1 })
  }
  answer = (response) => send(response, 500, 'busy')
  const id = await grade('search', true)
  await expect.poll(async () => (await evals.read(id)).waiting).toContain('did not put the results in order in time')
  answer = likeCohere
  app.clock.advance({ minutes: 6 })
  expect(await evals.ended(id)).toMatchObject({ passed: 1 })
})
