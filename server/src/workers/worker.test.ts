import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { notFound } from '../shared/errors.ts'
import { createLog } from '../shared/log.ts'
import { toErrorKind } from './error-kind.ts'
import { createWorkers, type Worker } from './worker.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Workers by a clock that the test moves, without chance, and the lines that they log. */
const start = (worker: Partial<Worker>) => {
  const lines: { msg: string; level: string }[] = []
  const log = createLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
  const parts = { name: 'test', everySeconds: 1, run: async () => {}, ...worker }
  const workers = createWorkers([parts], { log, clock: { now: () => new Date() }, random: () => 1 })
  workers.start()
  const health = () => workers.health()[0]
  return { workers, lines, health }
}

test('a worker runs at its interval, and its health has the time of the last success', async () => {
  let runs = 0
  const { workers, health } = start({
    run: async () => {
      runs++
    },
  })
  expect(health()).toEqual({ name: 'test', lastSuccess: undefined, consecutiveFailures: 0, lastError: undefined })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(runs).toBe(3)
  expect(health()).toMatchObject({ lastSuccess: new Date(), consecutiveFailures: 0 })
  await workers.stop()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(runs).toBe(3)
})

test('workers of a minute or more run at moments of their own, each at its interval', async () => {
  const runs: { name: string; second: number }[] = []
  const began = Date.now()
  const toWorker = (name: string): Worker => ({
    name,
    everySeconds: 60,
    run: async () => void runs.push({ name, second: Math.round((Date.now() - began) / 1_000) }),
  })
  const log = createLog('silent')
  const workers = createWorkers(['a', 'b', 'c'].map(toWorker), { log, clock: { now: () => new Date() } })
  workers.start()
  await vi.advanceTimersByTimeAsync(121_000)
  expect(runs).toEqual([
    { name: 'a', second: 20 },
    { name: 'b', second: 40 },
    { name: 'c', second: 60 },
    { name: 'a', second: 80 },
    { name: 'b', second: 100 },
    { name: 'c', second: 120 },
  ])
  await workers.stop()
})

test('failing work is tried with growing delays, reports the kind of error and not its text, and recovers at once', async () => {
  let runs = 0
  let isBroken = true
  const { workers, health, lines } = start({
    run: async () => {
      runs++
      if (isBroken) throw new TypeError('the secret is hunter2')
    },
  })
  await vi.advanceTimersByTimeAsync(60_000)
  // After 1 second, then after 1, 1, 2, 4, 8, 16 and 30.
  expect(runs).toBe(7)
  expect(health()).toMatchObject({ consecutiveFailures: 7, lastError: 'TypeError', lastSuccess: undefined })
  expect(JSON.stringify(health())).not.toContain('hunter2')
  expect(lines.map(({ level }) => level)).toEqual(Array(7).fill('warn'))
  isBroken = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect(health()).toMatchObject({ consecutiveFailures: 0, lastError: undefined, lastSuccess: expect.any(Date) })
  expect(lines.at(-1)).toMatchObject({ level: 'info', msg: 'a worker works again', failures: 7 })
  await workers.stop()
})

test('a worker starts no work before the node starts, and is started then', async () => {
  const steps: string[] = []
  const worker = { name: 'test', everySeconds: 1, run: async () => {}, start: () => void steps.push('started') }
  const workers = createWorkers([worker], { log: createLog('silent'), clock: { now: () => new Date() } })
  expect(steps).toEqual([])
  workers.start()
  expect(steps).toEqual(['started'])
  await workers.stop()
})

test('stopping aborts the current run, waits for it, and then stops the started work', async () => {
  const steps: string[] = []
  const { workers } = start({
    run: (stopping) =>
      new Promise((resolve) => {
        stopping?.addEventListener('abort', () => {
          steps.push('run ends')
          resolve()
        })
      }),
    stop: async () => void steps.push('stopped'),
  })
  await vi.advanceTimersByTimeAsync(1_000)
  await workers.stop()
  expect(steps).toEqual(['run ends', 'stopped'])
})

test('the kind of a failure is a word of ours, of the database, or of the program', () => {
  expect(toErrorKind(notFound('There is no such thing.'))).toBe('not_found')
  expect(toErrorKind(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBe('database_unavailable')
  expect(toErrorKind(Object.assign(new Error('no such table'), { code: '42P01' }))).toBe('sql_42P01')
  expect(toErrorKind(new RangeError('text'))).toBe('RangeError')
  expect(toErrorKind('text')).toBe('unknown')
})
