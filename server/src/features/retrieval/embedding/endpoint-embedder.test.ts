import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../shared/log.ts'
import { createTestClock } from '../../../test/clock.ts'
import { type EmbeddingsEndpoint, startEmbeddingsEndpoint, status } from '../../../test/embeddings-endpoint.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { createEndpointEmbedder } from './endpoint-embedder.ts'
import { EmbedderUnavailable, TextsRefused } from './types.ts'

let endpoint: EmbeddingsEndpoint
beforeEach(async () => {
  endpoint = await startEmbeddingsEndpoint()
})
afterEach(() => endpoint.close())

const open = (timeouts = { query: 10_000, passage: 10_000 }) =>
  createEndpointEmbedder({ url: endpoint.url, model: 'words', apiKey: 'key-1' }, timeouts)

const catchFailure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('It did not fail.'),
    (error: Error) => error,
  )

test('texts go to the endpoint with the model and the key, and vectors come back in order at length 1', async () => {
  const texts = Array.from({ length: 130 }, (_, index) => `text ${index} ${'word '.repeat(index % 7)}`)
  const { vectors } = await open().embed(texts, 'passage')
  expect(endpoint.asked.flatMap(({ input }) => input)).toEqual(texts)
  expect(endpoint.asked[0]).toMatchObject({ model: 'words', headers: { authorization: 'Bearer key-1' } })
  expect(vectors).toHaveLength(130)
  for (const [place, vector] of vectors.entries()) {
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
    expect(await open().embed([texts[place] ?? ''], 'query')).toEqual({ space: 'words/64', vectors: [vector] })
  }
})

test('the space is the model and its dimensions; other dimensions are another space', async () => {
  const embedder = open()
  expect(await embedder.space()).toBe('words/64')
  endpoint.state.dimensions = 32
  expect(await catchFailure(embedder.embed(['text'], 'query'))).toBeInstanceOf(EmbedderUnavailable)
  expect(await embedder.space()).toBe('words/32')
  expect(await embedder.embed(['text'], 'query')).toMatchObject({ vectors: { length: 1 } })
})

test.each([
  ['a failure', status(500)],
  ['a wrong key', status(401)],
  ['a path that is not there', status(404)],
  ['what is no JSON', status(200, {}, '<html>')],
  ['other JSON', status(200, {}, '{"vectors":[]}')],
  ['too few vectors', status(200, {}, '{"data":[]}')],
  ['two vectors of one text', status(200, {}, '{"data":[{"index":1,"embedding":[1]}]}')],
  ['a vector without direction', status(200, {}, '{"data":[{"index":0,"embedding":[0,0]}]}')],
  ['a vector beyond numbers', status(200, {}, '{"data":[{"index":0,"embedding":[1e999]}]}')],
  ['a redirect', status(302, { location: 'http://127.0.0.1:1/' })],
  ['half an answer', (response: ServerResponse) => response.destroy()],
])('%s is reported as an endpoint that cannot be used now', async (_name, answer) => {
  endpoint.answers.push(answer)
  expect(await catchFailure(open().embed(['text'], 'query'))).toBeInstanceOf(EmbedderUnavailable)
  expect(await open().embed(['text'], 'query')).toMatchObject({ vectors: { length: 1 } })
})

test('an answer that does not end in time, or does not end at all, is given up', async () => {
  endpoint.state.answer = () => {}
  expect(await catchFailure(open({ query: 1, passage: 1 }).embed(['text'], 'query'))).toBeInstanceOf(
    EmbedderUnavailable,
  )
  endpoint.state.answer = (response) => {
    const more = () => !response.destroyed && response.write('x'.repeat(1_000_000), () => setImmediate(more))
    more()
    response.on('error', () => {})
  }
  expect((await catchFailure(open().embed(['text'], 'query'))).message).toMatch(/longer than/)
})

test('a missing endpoint is reported as such', async () => {
  const embedder = createEndpointEmbedder({ url: 'http://127.0.0.1:1/v1', model: 'words', apiKey: undefined })
  expect((await catchFailure(embedder.embed(['text'], 'query'))).message).toMatch(/ECONNREFUSED|bad port/)
})

test('texts that the endpoint refuses are distinguished from an endpoint that is unavailable', async () => {
  for (const code of [400, 413, 422]) {
    endpoint.answers.push(status(code))
    expect(await catchFailure(open().embed(['text'], 'passage'))).toBeInstanceOf(TextsRefused)
  }
  endpoint.answers.push(status(400))
  expect(await catchFailure(open().space())).toBeInstanceOf(EmbedderUnavailable)
})

test('after a failure the endpoint is not called, as long as it asks for, and the log has one line', async () => {
  const lines: string[] = []
  const clock = createTestClock()
  clock.hold()
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line).level) })
  const embedder = withCircuitBreaker(open(), { clock, log })
  const attempts = async () => {
    const before = endpoint.asked.length
    await catchFailure(embedder.embed(['text'], 'query'))
    return endpoint.asked.length - before
  }
  endpoint.answers.push(status(429, { 'retry-after': '20' }), status(500), status(500))
  expect(await attempts()).toBe(1)
  clock.advance({ seconds: 19 })
  expect(await attempts()).toBe(0)
  clock.advance({ seconds: 1 })
  expect(await attempts()).toBe(1)
  clock.advance({ seconds: 1 })
  expect(await attempts()).toBe(0)
  clock.advance({ seconds: 1 })
  expect(await attempts()).toBe(1)
  clock.advance({ seconds: 4 })
  expect(await embedder.embed(['text'], 'query')).toMatchObject({ vectors: { length: 1 } })
  expect(lines).toEqual(['warn', 'info'])
})

test('closing ends a request that is under way', async () => {
  endpoint.answers.push(() => {})
  const embedder = open()
  const waiting = catchFailure(embedder.embed(['text'], 'passage'))
  await expect.poll(() => endpoint.asked.length).toBe(1)
  await embedder.close()
  expect(await waiting).toBeInstanceOf(EmbedderUnavailable)
})
