import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { addBrain, createMember, startTestApp } from '../../../test/app.ts'
import { startReceiver } from '../../../test/receiver.ts'

type Progress = {
  lastCursor: string | null
  pending: boolean
  lastFailure: { attempts: number; status: number | null; error: string } | null
}

/** One app for a test file; each of its tests gets a Brain and a receiver of its own. */
export const useWebhooks = () => {
  const parts = async () => {
    const app = await startTestApp()
    return { app, member: await createMember(app) }
  }
  const perTest = async (given: Awaited<ReturnType<typeof parts>>) => ({
    brain: await addBrain(given.app, given.member, `brain-${++made}`),
    receiver: await startReceiver(),
  })
  type Scene = Awaited<ReturnType<typeof parts>> & Awaited<ReturnType<typeof perTest>>
  let made = 0
  const scene = {} as Scene
  beforeAll(async () => void Object.assign(scene, await parts()))
  beforeEach(async () => void Object.assign(scene, await perTest(scene)))
  afterEach(() => scene.receiver.close())
  afterAll(() => scene.app.close())

  const worker = (name: string) => scene.app.app.workers.find((one) => one.name === name)?.run()
  const list = async () => (await scene.brain.call('GET', '/webhooks')).body.data.webhooks
  /** Waits until the Brain's first webhook is as expected: its outcome is stored after the receiver's answer. */
  const until = async (expected: (webhook: Progress) => boolean) => {
    for (;;) {
      const [webhook] = await list()
      if (webhook && expected(webhook)) return webhook
    }
  }
  return {
    scene,
    worker,
    list,
    until,
    /** Leases due work by the clock, as each node does once a second. */
    look: () => worker('deliver to webhooks'),
    create: async (body: object = {}) =>
      (await scene.brain.call('POST', '/webhooks', { url: scene.receiver.url, ...body })).body.data,
    write: (id: string) => scene.brain.call('PUT', `/records/${id}`, { kind: 'k', fields: { at: ++made } }),
    events: async () => (await scene.brain.call('GET', '/events?limit=500')).body.data.events,
    cursors: (): string[] => scene.receiver.deliveries.map(({ body }) => body.event.cursor),
    untilAttempt: (attempts: number) => until(({ lastFailure }) => lastFailure?.attempts === attempts),
  }
}
