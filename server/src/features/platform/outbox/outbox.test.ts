import { expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { createTurns } from '../../../workers/turns.ts'
import { createOutboxWork } from './outbox.ts'

// The app runs no workers: the outbox is worked off by the test's own.
const app = useOwnApp({ NOEMA_ROLES: 'http' })

/** An organization whose webhook waits for one correction. */
const addCorrection = async (): Promise<TestBrain> => {
  const brain = await createBrain(app)
  const body = { url: 'http://127.0.0.1:9/', events: ['knowledge.corrected'] }
  await app.request('POST', '/v1/webhooks', { key: brain.key, body })
  const { change } = (await brain.call('POST', '/records', { kind: 'k' })).body.data
  await brain.call('POST', `/changes/${change.id}/revert`, {})
  return brain
}

/** A node whose processing of the event fails several times, and the seconds until it succeeds. */
const secondsUntilSent = async (failures: number, error: Error): Promise<number> => {
  await addCorrection()
  let attempts = 0
  let isSent = false
  const { db, log, topics, findDueKeys } = app.app.deps
  const expand = async () => {
    if (attempts++ < failures) throw error
    return 'reported'
  }
  const stored = (made: readonly string[]) => {
    isSent ||= made.length > 0
  }
  const work = createOutboxWork({ db, log, clock: app.clock }, { name: 'test', expand, store: async () => {}, stored })
  const node = createTurns({ clock: app.clock, log, topics, findDueKeys }, work)
  const isLeased = async () => (await app.database.pool.query('select from outbox where lease is not null')).rowCount
  let seconds = 0
  for (; !isSent; seconds++) {
    await node.run()
    await expect.poll(isLeased).toBe(0)
    app.clock.advance({ seconds: 1 })
  }
  await node.stop()
  return seconds
}

test('OWH-05 an event is sent soon after any number of database outages, and rarely tried if it fails itself', async () => {
  const outage = Object.assign(new Error('terminating connection'), { code: '57P01' })
  expect(await secondsUntilSent(6, outage)).toBeLessThanOrEqual(8)
  expect(await secondsUntilSent(4, new TypeError('broken'))).toBeGreaterThanOrEqual(15)
})
