import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { Honest, VictimAnswer } from './victim.ts'
import { emptyWindow, type Window } from './windows.ts'

// An honest tenant, in a separate process: a fixed number of each request a second, whether or not the last is answered, so
// that a slow response delays no other request without being measured. The delay of its own event loop is reported separately, because
// it is not the node's.

const perSecond = { live: 10, read: 30, list: 5, write: 15, found: 2, export: 1 } as const
const maxMilliseconds = 15_000
const delayResolution = 5

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

const send = ({ port, key }: Honest, method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
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
const createTasks = (honest: Honest) => {
  const { path, ids } = honest
  const once = async (method: string, below: string, body?: unknown) => {
    await readAnswer(await send(honest, method, path + below, body))
  }
  return {
    live: async () => void (await readAnswer(await send(honest, 'GET', '/livez'))),
    read: () => once('GET', `/records/${ids[written % ids.length]}`),
    list: () => once('GET', '/records?limit=50'),
    write: () => once('POST', '/records', { kind: 'note', fields: { n: written++ } }),
    export: () => once('GET', '/export'),
    found: async () => {
      const word = `word${written++}`
      await once('POST', '/records', { kind: 'note', fields: { text: word } })
      for (;;) {
        const page = await readAnswer(await send(honest, 'GET', `${path}/search?q=${word}`))
        if (page.includes('"snippet"')) return
        await delay(20)
      }
    },
  }
}

const measure = async (honest: Honest, seconds: number): Promise<Window> => {
  const tasks = createTasks(honest)
  const window = emptyWindow()
  const timed = (name: keyof typeof tasks) => async () => {
    const began = performance.now()
    try {
      await tasks[name]()
    } catch (error) {
      window.failures++
      window.examples.push(`${name}: ${String(error).slice(0, 160)}`)
    }
    window.times[name].push(performance.now() - began)
  }
  const delays = monitorEventLoopDelay({ resolution: delayResolution })
  delays.enable()
  await Promise.all(
    (Object.keys(perSecond) as (keyof typeof perSecond)[]).map((name) => pace(seconds, perSecond[name], timed(name))),
  )
  delays.disable()
  window.late = Math.max(0, delays.percentile(99) / 1e6 - delayResolution)
  return window
}

process.once('disconnect', () => process.exit())
process.on('message', ({ honest, seconds }: { honest: Honest; seconds: number }) => {
  measure(honest, seconds).then(
    (window) => process.send?.({ window } satisfies VictimAnswer),
    (error: unknown) => process.send?.({ error: String(error) } satisfies VictimAnswer),
  )
})
