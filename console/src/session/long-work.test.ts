import { beforeEach, expect, test, vi } from 'vitest'
import { cancelWork, closeWork, startLongWork } from './long-work.ts'
import { works } from './works.ts'

/** The window's listeners: whether the browser asks before the person leaves. */
let asked: Set<string>

beforeEach(() => {
  asked = new Set()
  vi.stubGlobal('addEventListener', (name: string) => asked.add(name))
  vi.stubGlobal('removeEventListener', (name: string) => asked.delete(name))
  for (const { id } of works.read()) closeWork(id)
  return () => vi.unstubAllGlobals()
})

test('background work belongs to no view: it shows its progress to the end, and the browser asks before the person leaves', async () => {
  const heard: unknown[] = []
  const stop = works.subscribe(() => heard.push(works.read()[0]?.done))
  const { promise, resolve } = Promise.withResolvers<void>()
  const work = startLongWork({
    name: 'Export of handbook',
    run: async ({ report }) => {
      report({ done: 1, total: 2 })
      await promise
      report({ done: 2, text: '2 lines' })
    },
  })
  expect(works.read()).toMatchObject([{ name: 'Export of handbook', state: 'running', done: 1, total: 2 }])
  expect(asked).toContain('beforeunload')
  resolve()
  await work
  expect(works.read()).toMatchObject([{ state: 'done', done: 2, text: '2 lines' }])
  expect(asked).not.toContain('beforeunload')
  expect(heard).toContain(2)
  stop()
})

test('failed work shows the reason, and canceled work gets the signal', async () => {
  await startLongWork({ name: 'Import', run: () => Promise.reject(new Error('Line 3 is not JSON.')) })
  expect(works.read()).toMatchObject([{ state: 'failed', failure: 'Line 3 is not JSON.' }])
  const work = startLongWork({
    name: 'Export',
    run: ({ signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  cancelWork(works.read()[1]?.id ?? 0)
  await work
  expect(works.read()[1]).toMatchObject({ state: 'cancelled' })
})
