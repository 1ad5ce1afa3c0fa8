import { expect, test } from 'vitest'
import { type ClientOptions, createClient } from './client.ts'
import { ConflictError, TimeoutError } from './errors.ts'
import { startScriptedServer } from './test/scripted-server.ts'
import { testTiming } from './test/test-timing.ts'

const scripted = async (script: Parameters<typeof startScriptedServer>[0], options: ClientOptions = {}) => {
  const { url, requests } = await startScriptedServer(script)
  const test = testTiming()
  return { runs: createClient({ baseUrl: url, timing: test.timing, ...options }).runs, requests, ...test }
}

const delta = (id: number, text: string) =>
  `id: ${id}\ndata: ${JSON.stringify({ type: 'text-delta', id: 'opr_1:0', delta: text })}\n\n`
const done = 'data: [DONE]\n\n'

/** The text of every part, to the end of the stream. */
const readText = async (parts: AsyncIterable<{ type: string; delta?: string }>) => {
  let text = ''
  for await (const part of parts) text += part.delta ?? ''
  return text
}

test('D-73 a stream of a run gives its parts and ends with the run', async () => {
  const { runs, requests } = await scripted([
    { stream: [': hi\n\n', delta(1, 'Hel'), delta(2, 'lo'), done], ending: 'stay' },
  ])
  expect(await readText(runs.stream('run_1', { after: 0 }))).toBe('Hello')
  expect(requests[0]).toMatchObject({
    url: '/v1/runs/run_1/stream?after=0',
    headers: { accept: 'text/event-stream', 'last-event-id': '0' },
  })
})

test('D-73 a stream that breaks is taken up after the last whole part, without loss or repeats', async () => {
  const { runs, requests } = await scripted([
    { stream: [delta(1, 'a'), delta(2, 'b'), delta(3, 'c').slice(0, 30)], ending: 'break' },
    'break',
    { stream: [delta(3, 'c'), done] },
  ])
  expect(await readText(runs.stream('run_1'))).toBe('abc')
  expect(requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2'])
})

test('D-73 a stream that is aborted ends quietly, and one that may not be read is an error', async () => {
  const controller = new AbortController()
  const { runs } = await scripted(() => ({ stream: [delta(1, 'a')], ending: 'stay' }))
  for await (const part of runs.stream('run_1', { signal: controller.signal })) {
    expect(part.type).toBe('text-delta')
    controller.abort()
  }
  const refused = await scripted([{ status: 409, error: { kind: 'conflict', message: 'Gone.' } }])
  await expect(readText(refused.runs.stream('run_1'))).rejects.toThrow(ConflictError)
})

test('RUN-01 start may wait for the end, for longer than an ordinary answer may take', async () => {
  const { runs, requests, elapse, running } = await scripted([{ data: { run: { runId: 'run_1' } } }])
  const started = runs.start({ agentId: 'agt_1', input: 'Hi' }, { wait: 30, idempotencyKey: 'once' })
  expect(running.size).toBe(1)
  expect(await started).toEqual({ run: { runId: 'run_1' } })
  elapse()
  expect(requests[0]?.headers).toMatchObject({ prefer: 'handling=strict, wait=30', 'idempotency-key': 'once' })
})

const running = { runId: 'run_1', state: 'running', completedAt: null }
const ended = { runId: 'run_1', state: 'completed', completedAt: '2026-03-01T12:00:00.000Z' }

test('wait follows a run to its end and gives it as it ended', async () => {
  const { runs, requests } = await scripted([
    { stream: [], ending: 'break' },
    { stream: [done] },
    { data: { run: ended } },
  ])
  expect(await runs.wait('run_1')).toEqual({ run: ended })
  expect(requests.map(({ url }) => url.split('?')[0])).toEqual([
    '/v1/runs/run_1/stream',
    '/v1/runs/run_1/stream',
    '/v1/runs/run_1',
  ])
})

test('wait takes what start answered', async () => {
  const { runs } = await scripted([{ data: { run: running } }, { stream: [done] }, { data: { run: ended } }])
  const started = await runs.start({ agentId: 'agt_1', input: 'Hi' })
  expect((await runs.wait(started)).run.state).toBe('completed')
})

test('wait gives up after its time, and when its signal aborts; the run continues', async () => {
  const { runs, requests, elapse } = await scripted(() => {
    setImmediate(elapse)
    return { stream: [': hi\n\n'], ending: 'stay' }
  })
  await expect(runs.wait('run_1', { timeoutMs: 5_000 })).rejects.toThrow(TimeoutError)
  const controller = new AbortController()
  controller.abort(new Error('enough'))
  await expect(runs.wait('run_1', { signal: controller.signal })).rejects.toThrow('enough')
  expect(requests.map(({ method }) => method)).not.toContain('POST')
})
