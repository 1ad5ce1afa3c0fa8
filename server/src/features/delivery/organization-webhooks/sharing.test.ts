import type { ServerResponse } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { createBrain, createMember, type TestMember } from '../../../test/app.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { useOrganization } from './use-organization.fixture.ts'

const { scene, create, correct, deliveries, emit } = useOrganization()

// The first account is the administrator's.
let administrator: TestMember
beforeAll(async () => {
  administrator = await createMember(scene.app)
})

const maxTurnsOfWebhook = 16
// Half of its calls to webhooks.
const maxTurnsOfOrganization = 125

test('OWH-05 a receiver that hangs keeps 16 deliveries of its webhook under way, and delays no other webhook', async () => {
  const held: ServerResponse[] = []
  const hanging = await startReceiver({ answer: (response) => void held.push(response) })
  const { webhook } = await create({ url: hanging.url, events: ['run.created'] })
  await create({ events: ['run.created', 'knowledge.corrected'] })
  const count = maxTurnsOfWebhook + 4
  for (let run = 0; run < count; run++) await emit({ event: 'run.created', scope: {}, data: { runId: `run_${run}` } })
  await scene.receiver.received(count)
  await hanging.received(maxTurnsOfWebhook)
  expect(hanging.deliveries).toHaveLength(maxTurnsOfWebhook)
  // One that ends makes room for the next, without a wake and before the clock looks again.
  held.shift()?.end()
  await hanging.received(maxTurnsOfWebhook + 1)
  await correct()
  await scene.receiver.received(count + 1)
  for (const response of held) response.end()
  await hanging.received(count)
  for (const response of held) response.end()
  const delivered = async () =>
    (await deliveries(webhook.id)).filter(({ state }: { state: string }) => state === 'delivered')
  await expect.poll(async () => (await delivered()).length).toBe(count)
  await hanging.close()
})

test('OWH-05 an organization whose receivers all hang leaves room for another', async () => {
  const hanging = await startReceiver({ answer: () => undefined })
  // Forty webhooks with sixteen deliveries each are more than an organization may have under way on a node.
  for (let n = 0; n < 40; n++) await create({ url: hanging.url, events: ['run.created'] })
  for (let run = 0; run < maxTurnsOfWebhook; run++)
    await emit({ event: 'run.created', scope: {}, data: { runId: `run_${run}` } })
  await hanging.received(maxTurnsOfOrganization)
  const other = await createBrain(scene.app)
  const hook = { url: scene.receiver.url, events: ['knowledge.corrected'] }
  await scene.app.request('POST', '/v1/webhooks', { key: other.key, body: hook })
  const { change } = (await other.call('POST', '/records', { kind: 'k' })).body.data
  await other.call('POST', `/changes/${change.id}/revert`, {})
  await scene.receiver.received(1)
  const { workers } = (await scene.app.request('GET', '/readyz', { key: administrator.key })).body.data
  const delivering = workers.find(({ name }: { name: string }) => name === 'deliver to webhooks of organizations')
  expect(delivering.turns.running).toBeLessThanOrEqual(maxTurnsOfOrganization + 1)
  await hanging.close()
})
