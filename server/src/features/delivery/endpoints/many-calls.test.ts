import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { type Answered, createBrain, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'

const app = useOwnApp({ NOEMA_MAX_WEBHOOK_TESTS: '40/5/3', NOEMA_MAX_CALLS: '40/20/16' })

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A receiver that answers only on demand. */
const startHanging = async () => {
  const held: ServerResponse[] = []
  const receiver = await startReceiver({ answer: (response) => void held.push(response) })
  closers.push(receiver.close)
  const answerAll = () => {
    for (const response of held.splice(0)) response.writeHead(204).end()
  }
  return { receiver, answerAll }
}

const addWebhook = async (brain: TestBrain, { url }: Receiver): Promise<string> =>
  (await brain.call('POST', '/webhooks', { url })).body.data.webhook.id

const addOrganizationWebhook = async ({ key }: TestBrain, { url }: Receiver): Promise<string> => {
  const body = { url, events: ['run.created'] }
  return (await app.request('POST', '/v1/webhooks', { key, body })).body.data.webhook.id
}

const statuses = (answers: readonly Answered[]) => answers.map(({ status }) => status).sort()

test('SUR-04 a few tests of a webhook run at once, and few of an organization; one more is 429 with Retry-After', async () => {
  const { receiver, answerAll } = await startHanging()
  const brain = await createBrain(app, 'tests')
  const ids = [await addWebhook(brain, receiver), await addWebhook(brain, receiver)]
  const organizations = await addOrganizationWebhook(brain, receiver)
  const first = Array.from({ length: 3 }, () => brain.call('POST', `/webhooks/${ids[0]}/test`))
  await receiver.received(3)
  const refused = await brain.call('POST', `/webhooks/${ids[0]}/test`)
  expect(refused).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited', code: 'too_many_tests' } } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const second = Array.from({ length: 2 }, () => brain.call('POST', `/webhooks/${ids[1]}/test`))
  await receiver.received(5)
  const third = await app.request('POST', `/v1/webhooks/${organizations}/test`, { key: brain.key })
  expect(third).toMatchObject({ status: 429, body: { error: { code: 'too_many_tests' } } })
  answerAll()
  expect(statuses(await Promise.all([...first, ...second]))).toEqual(Array(5).fill(200))
  const after = app.request('POST', `/v1/webhooks/${organizations}/test`, { key: brain.key })
  await receiver.received(6)
  answerAll()
  expect((await after).status).toBe(200)
})

test('WHK-09 D-67 calls under way to one host are bounded over all tenants, and shared; what waits is not counted as an attempt', async () => {
  const { receiver, answerAll } = await startHanging()
  const brains: TestBrain[] = []
  for (const name of ['one', 'two', 'three']) {
    const brain = await createBrain(app, name)
    brains.push(brain)
    for (let count = 0; count < 10; count++) await addWebhook(brain, receiver)
  }
  // A call that hangs ends by itself after a while, so all begin now.
  for (const brain of brains) await brain.call('PUT', '/records/a', { kind: 'k' })
  // Of sixteen places at the host, the first takes half, and the others of what is free.
  await receiver.received(14)
  const listed = async () => {
    const answers = await Promise.all(brains.map((brain) => brain.call('GET', '/webhooks')))
    return answers.flatMap(({ body }) => body.data.webhooks)
  }
  expect(receiver.deliveries.length).toBeLessThanOrEqual(16)
  expect((await listed()).map(({ lastFailure }) => lastFailure)).toEqual(Array(30).fill(null))
  const answering = setInterval(answerAll, 20)
  await receiver.received(30)
  await expect.poll(async () => (await listed()).filter(({ pending }) => pending)).toEqual([])
  clearInterval(answering)
  expect(receiver.deliveries).toHaveLength(30)
  expect((await listed()).map(({ lastFailure }) => lastFailure)).toEqual(Array(30).fill(null))
})
