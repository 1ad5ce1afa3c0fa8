import { expect, test } from 'vitest'
import { addBrain, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { startReceiver } from '../../../test/receiver.ts'

const app = useOwnApp({ NOEMA_MAX_CALLS: '100/40/60' })
const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

// Half of the calls of an organization.
const maxTurnsOfOrganization = 20

/** Brains with so many webhooks each, and an event that all of them are sent. */
const addHanging = async (owner: TestBrain, name: string, { url }: { url: string }, brains: number) => {
  for (let count = 0; count < brains; count++) {
    const brain = await addBrain(app, owner, `${name}-${count}`)
    await Promise.all(Array.from({ length: 25 }, () => brain.call('POST', '/webhooks', { url })))
    await brain.call('PUT', '/records/a', { kind: 'k' })
  }
}

test('WHK-07 receivers of two organizations that all hang leave places for a third, whose events are sent at once', async () => {
  const hanging = await startReceiver({ answer: () => undefined })
  const receiver = await startReceiver()
  const first = await createBrain(app, 'one')
  await addHanging(first, 'one', hanging, 2)
  await addHanging(await createBrain(app, 'two'), 'two', hanging, 2)
  await hanging.received(2 * maxTurnsOfOrganization)
  const third = await createBrain(app, 'third')
  await third.call('POST', '/webhooks', { url: receiver.url })
  const waits: number[] = []
  for (let count = 1; count <= 20; count++) {
    const writtenAt = performance.now()
    await third.call('POST', '/records', { kind: 'k' })
    const deliveries = await receiver.received(count)
    waits.push((deliveries.at(-1)?.at ?? 0) - writtenAt)
  }
  // Without a place each of them waits for a call that hangs, which takes 10 seconds. On a busy machine one may wait for it.
  expect(median(waits)).toBeLessThan(5_000)
  const { workers } = (await app.request('GET', '/readyz', { key: first.key })).body.data
  const delivering = workers.find(({ name }: { name: string }) => name === 'deliver to webhooks')
  expect(delivering.turns.running).toBeLessThanOrEqual(2 * maxTurnsOfOrganization + 1)
  await hanging.close()
  await receiver.close()
})
