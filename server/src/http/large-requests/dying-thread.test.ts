import { putDocument } from '@noema/contracts/documents.ts'
import type { FastifyRequest } from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'
import { type LargeRequests, openLargeRequests } from './large-requests.ts'

const app = useApp()
const brain = useBrain(app)

test('a node that closes finishes the large writes that it began', async () => {
  const node = await app.startNode()
  const text = 'What a document says. '.repeat(200_000)
  const sent = Array.from({ length: 3 }, (_, n) =>
    node.request('POST', `${brain.path}/documents`, { key: brain.key, body: { id: `ending-${n}`, text } }),
  )
  const statuses = Promise.all(sent).then((answers) => answers.map(({ status }) => status))
  await Promise.race(sent)
  await node.close()
  expect(await statuses).toEqual([201, 201, 201])
  expect((await brain.call('GET', '/documents')).body.data.documents).toHaveLength(3)
})

const subject = { organization: 'o', key: 'k' }
const request = { id: 'r', subject, principal: { kind: 'public' }, ip: '::1', params: {}, query: {}, headers: {} }

const run = (calls: LargeRequests, body: Buffer) =>
  calls.run(putDocument, request as unknown as FastifyRequest, { body, isStrict: false })

test('if the worker for large requests ends, they are unavailable, and the next one starts another', async () => {
  const entry = new URL('./dying-thread.fixture.ts', import.meta.url)
  const calls = openLargeRequests(entry, {} as never, app.app.deps)
  for (let n = 0; n < 2; n++) await expect(run(calls, Buffer.alloc(10))).rejects.toMatchObject({ kind: 'unavailable' })
  await calls.close()
})

test('a worker for large requests that grew returns its memory when it is idle, and one that did not grow stays', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const entry = new URL('./growing-thread.fixture.ts', import.meta.url)
  const calls = openLargeRequests(entry, {} as never, app.app.deps)
  onTestFinished(() => calls.close())
  const ask = async (megabytes: number) => {
    const answer = await run(calls, Buffer.from([megabytes]))
    await vi.advanceTimersByTimeAsync(10_000)
    return answer
  }
  expect([await ask(1), await ask(200)]).toEqual([1, 2])
  await vi.waitFor(async () => expect(await ask(1)).toBe(1), { timeout: 90_000 })
})
