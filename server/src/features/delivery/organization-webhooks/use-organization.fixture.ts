import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest'
import { organizationTopic } from '../../../shared/concurrency/topics.ts'
import { createBrain, startTestApp } from '../../../test/app.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { addToOutbox } from '../../platform/outbox/outbox.ts'
import type { OutboxEvent } from '../../platform/outbox/outbox-queries.ts'

/** One app for a test file; each of its tests gets an organization with a Brain, and a receiver of its own. */
export const useOrganization = (env: Record<string, string> = {}) => {
  const perTest = async (app: Awaited<ReturnType<typeof startTestApp>>) => ({
    brain: await createBrain(app),
    receiver: await startReceiver(),
  })
  type Scene = { app: Awaited<ReturnType<typeof startTestApp>> } & Awaited<ReturnType<typeof perTest>>
  const scene = {} as Scene
  beforeAll(async () => {
    scene.app = await startTestApp(env)
  })
  beforeEach(async () => void Object.assign(scene, await perTest(scene.app)))
  afterEach(() => scene.receiver.close())
  afterAll(() => scene.app.close())

  const call = (method: string, below = '', body?: unknown) =>
    scene.app.request(method, `/v1/webhooks${below}`, {
      key: scene.brain.key,
      ...(body === undefined ? {} : { body }),
    })
  const write = async (method: string, below: string, body?: unknown) =>
    (await scene.brain.call(method, below, body)).body.data
  const deliveries = async (id: string) => (await call('GET', `/${id}/deliveries`)).body.data.deliveries
  return {
    scene,
    call,
    write,
    deliveries,
    create: async (body: object = {}) => {
      const given = { url: scene.receiver.url, events: ['knowledge.corrected'], ...body }
      return (await call('POST', '', given)).body.data
    },
    /** A webhook for the events of an agent of its own, and that agent's id. */
    createForAgent: async () => {
      const body = { name: 'Reader', instructions: 'Answer.', model: 'noema/extractive' }
      const made = await scene.app.request('POST', '/v1/agents', { key: scene.brain.key, body })
      const agentId: string = made.body.data.agent.id
      const given = { url: scene.receiver.url, events: ['knowledge.corrected'], scope: { agentId } }
      return { ...(await call('POST', '', given)).body.data, agentId }
    },
    /** Writes a record and reverts it: one correction. Answers the change that was corrected and the one that did it. */
    correct: async () => {
      const { change, record } = await write('POST', '/records', { kind: 'person', fields: { name: 'Ada' } })
      const reverted = await write('POST', `/changes/${change.id}/revert`, { reason: 'wrong' })
      return { corrects: change.id, change: reverted.change.id, record, stateVersion: reverted.stateVersion }
    },
    /** Waits until the newest delivery of a webhook is as expected: its outcome is stored after the receiver's answer. */
    until: (id: string, expected: object) =>
      vi.waitFor(
        async () => {
          const [delivery] = await deliveries(id)
          const isThere = Object.entries(expected).every(([name, value]) => delivery?.[name] === value)
          if (!isThere) throw new Error(`not there yet: ${JSON.stringify(delivery)}`)
          return delivery
        },
        { timeout: 90_000, interval: 20 },
      ),
    /** Lets time pass; each node leases due work once a second. */
    pass: (seconds: number) => scene.app.clock.advance({ seconds }),
    /** Adds an event to the outbox and publishes it, as the cause of a real event does. */
    emit: async (event: Pick<OutboxEvent, 'event' | 'scope' | 'data'>) => {
      const { organizationId } = scene.brain
      await addToOutbox({ ...event, organizationId, at: new Date() }).execute(scene.app.app.db)
      scene.app.app.deps.topics.publish(organizationTopic(organizationId))
    },
    /** Leases due work by the clock, as each node does once a second. */
    look: async () => {
      for (const { name, run } of scene.app.app.workers) if (name.includes('organizations')) await run()
    },
  }
}
