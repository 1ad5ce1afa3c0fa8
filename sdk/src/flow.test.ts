import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { StepFailed } from './flow.ts'
import { startScriptedServer } from './test/scripted-server.ts'

type Stored = { key: string; operationId: string; state: string; [name: string]: unknown }

/** A service that stores steps as the real one does: the first write of a key wins. */
const serve = async () => {
  const steps = new Map<string, Stored>()
  const run = { runId: 'run_1', state: 'running' }
  const { url, requests } = await startScriptedServer(({ method, url: path = '', body }) => {
    const key = /\/steps\/(.+)$/.exec(path)?.[1]
    if (key === undefined) return { data: { run } }
    if (method === 'GET' && !steps.has(key)) return { status: 404, error: { kind: 'not_found', message: 'No step.' } }
    const given = method === 'PUT' ? JSON.parse(body) : {}
    if (method === 'PUT' && !steps.has(key)) {
      const { output, error, input, ask, sleepUntil } = given
      const open = ask !== undefined || sleepUntil !== undefined
      const state = open ? 'running' : error === undefined ? 'succeeded' : 'failed'
      steps.set(key, {
        key,
        operationId: key,
        state,
        output,
        error,
        input: ask ?? (sleepUntil ? { until: sleepUntil } : input),
      })
    }
    return { data: { step: steps.get(key), stored: true } }
  })
  const end = (key: string, output: unknown) => steps.set(key, { key, operationId: key, state: 'succeeded', output })
  return { url, requests, steps, end }
}

const openFlow = (url: string, onSleep: (milliseconds: number) => void = () => undefined) => {
  let now = 1_000_000
  const timing = {
    now: () => now,
    random: () => 0,
    sleep: async (milliseconds: number) => {
      now += milliseconds
      onSleep(milliseconds)
    },
    startTimer: () => () => undefined,
  }
  return createClient({ baseUrl: url, apiKey: 'nsk_x', timing }).flow({ name: 'import', key: 'order-17', input: 17 })
}

test('STP-06 code that is started again gets the results of its steps, and does those again that did not end', async () => {
  const { url, requests, steps } = await serve()
  const calls: string[] = []
  const work = async (crash: boolean) => {
    const flow = await openFlow(url)
    const load = async () => {
      calls.push('load')
      return [1, 2]
    }
    const rows = await flow.step('load', load, { input: 'orders' })
    const sent = await flow.step('send', () => {
      calls.push('send')
      if (crash) throw new Error('The process died here.')
      return rows.length
    })
    return [sent, (await flow.finish({ sent })).runId]
  }
  await expect(work(true)).rejects.toThrow('died')
  expect(await work(false)).toEqual([2, 'run_1'])
  expect(await work(false)).toEqual([2, 'run_1'])
  expect(calls).toEqual(['load', 'send', 'send'])
  expect(steps.get('load')).toMatchObject({ output: [1, 2], input: 'orders' })
  const starts = requests.filter((request) => request.url === '/v1/flows')
  expect(starts.map(({ headers, body }) => [headers['idempotency-key'], JSON.parse(body)])).toEqual(
    Array.from({ length: 3 }, () => ['order-17', { name: 'import', input: 17 }]),
  )
})

test('STP-06 of two processes at once both get the result that was stored first, and a failure for good stays', async () => {
  const { url, end } = await serve()
  const flow = await openFlow(url)
  const other = await flow.step('race', () => {
    end('race', 'theirs')
    return 'mine'
  })
  expect(other).toBe('theirs')
  const refuse = () => {
    throw new StepFailed('The address is unknown.')
  }
  await expect(flow.step('send', refuse)).rejects.toThrow('The address is unknown.')
  await expect(flow.step('send', () => 1)).rejects.toThrow(StepFailed)
})

test('STP-06 ask and sleep wait for what the service stored, also in a process that is started again', async () => {
  const { url, end, steps } = await serve()
  let looks = 0
  const flow = await openFlow(url, () => {
    looks++
    if (looks === 3) end('confirm', { answer: 'yes' })
    if (looks === 6) end('pause', null)
    if (looks === 8) end('late', { expired: true })
  })
  expect(await flow.ask('confirm', 'Send?', { options: ['yes', 'no'] })).toBe('yes')
  await flow.sleep('pause', { seconds: 60 })
  expect(await flow.ask('late', 'Still there?', { expiresInSeconds: 5 })).toBeUndefined()
  const again = await openFlow(url)
  expect(await again.ask('confirm', 'Send?')).toBe('yes')
  await again.sleep('pause', { seconds: 60 })
  expect(steps.size).toBe(3)
})
