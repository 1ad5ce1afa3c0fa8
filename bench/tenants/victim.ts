import { setTimeout as delay } from 'node:timers/promises'
import type { Noema } from '../parts/noema.ts'
import type { ScratchDatabase } from '../parts/scratch-postgres.ts'
import { percentile } from '../parts/statistics.ts'
import { addTenant, addWatchedBrain, type Received, type Receiver, type Tenant } from '../webhooks/parts.ts'

// What an honest tenant feels while another does what it likes: so many of each thing a second, whether or not the last is
// answered, so that a slow answer makes none of the others late unseen.

export const operations = ['live', 'read', 'list', 'write', 'found', 'export', 'delivery'] as const
type Operation = (typeof operations)[number]

/** Milliseconds of each thing that was done in a window, and how many were answered 5xx or not at all. */
export type Window = { times: Record<Operation, number[]>; failures: number; examples: string[] }

export type Victim = { measure(seconds: number): Promise<Window> }

const perSecond = { live: 10, read: 30, list: 5, write: 15, found: 2, export: 1 } as const
const maxMilliseconds = 15_000

const emptyWindow = (): Window => ({
  times: { live: [], read: [], list: [], write: [], found: [], export: [], delivery: [] },
  failures: 0,
  examples: [],
})

/** Does each thing so many times a second for a while, and waits for all of it. */
const pace = async (seconds: number, rate: number, task: () => Promise<void>): Promise<void> => {
  const began = performance.now()
  const sent: Promise<void>[] = []
  for (let n = 0; n < seconds * rate; n++) {
    sent.push(task())
    await delay(Math.max(0, began + ((n + 1) * 1_000) / rate - performance.now()))
  }
  await Promise.all(sent)
}

const prepareBrain = async (tenant: Tenant, receiver: Receiver): Promise<{ path: string; ids: string[] }> => {
  const path = await addWatchedBrain(tenant, 'victim', 1, receiver)
  const ids = Array.from({ length: 200 }, (_, index) => `record-${index}`)
  const made = ids.map((id) => ({ op: 'record.put', id, kind: 'note', fields: { text: `What ${id} says.` } }))
  await tenant.call('POST', `${path}/batch`, { operations: made })
  return { path, ids }
}

type Send = (method: string, path: string, body?: unknown) => Promise<Response>

const createSend =
  (port: number, key: string): Send =>
  (method, path, body) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(maxMilliseconds),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })

const readAnswer = async (response: Response): Promise<string> => {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`)
  return text
}

let written = 0

/** The things that are done, each until it is answered whole. */
const createTasks = (send: Send, { path, ids }: { path: string; ids: string[] }) => {
  const once = async (method: string, below: string, body?: unknown) => {
    await readAnswer(await send(method, path + below, body))
  }
  return {
    live: async () => void (await readAnswer(await send('GET', '/livez'))),
    read: () => once('GET', `/records/${ids[written % ids.length]}`),
    list: () => once('GET', '/records?limit=50'),
    write: () => once('POST', '/records', { kind: 'note', fields: { n: written++ } }),
    export: () => once('GET', '/export'),
    found: async () => {
      const word = `word${written++}`
      await once('POST', '/records', { kind: 'note', fields: { text: word } })
      for (;;) {
        const page = await readAnswer(await send('GET', `${path}/search?q=${word}`))
        if (page.includes('"snippet"')) return
        await delay(20)
      }
    },
  }
}

/** An honest tenant with a Brain, a webhook and a key without caps. */
export const createVictim = async (noema: Noema, database: ScratchDatabase, receiver: Receiver): Promise<Victim> => {
  const tenant = await addTenant(noema, database, 'victim')
  const prepared = await prepareBrain(tenant, receiver)
  const tasks = createTasks(createSend(noema.port, tenant.key), prepared)
  const timed = (window: Window, name: keyof typeof tasks) => async () => {
    const began = performance.now()
    try {
      await tasks[name]()
    } catch (error) {
      window.failures++
      window.examples.push(`${name}: ${String(error).slice(0, 160)}`)
    }
    window.times[name].push(performance.now() - began)
  }
  return {
    measure: async (seconds) => {
      const window = emptyWindow()
      await receiver.reset()
      const names = Object.keys(perSecond) as (keyof typeof perSecond)[]
      await Promise.all(names.map((name) => pace(seconds, perSecond[name], timed(window, name))))
      window.times.delivery.push(...toTimes(await receiver.received()))
      return window
    },
  }
}

// The receiver sums up; its percentiles stand for the deliveries of the window.
const toTimes = ({ count, p50, p99, max }: Received): number[] =>
  count === 0 ? [maxMilliseconds] : [...Array(49).fill(p50), ...Array(48).fill(p50), p99, p99, max]

export const joinWindows = (windows: readonly Window[]): Window => {
  const joined = emptyWindow()
  for (const { times, failures, examples } of windows) {
    for (const name of operations) joined.times[name].push(...times[name])
    joined.failures += failures
    joined.examples.push(...examples)
  }
  return joined
}

export const sumUp = (times: readonly number[]): { p50: number; p99: number } => {
  const sorted = Float64Array.from(times).sort()
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) }
}
