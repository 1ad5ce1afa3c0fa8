import { putDocument } from '@noema/contracts/documents.ts'
import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { useApp, useBrain } from '../../test/harness.ts'
import { openLargeRequests } from './large-requests.ts'

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

test('if the worker for large requests ends, they are unavailable, and the next one starts another', async () => {
  const entry = new URL('./dying-thread.fixture.ts', import.meta.url)
  const calls = openLargeRequests(entry, {} as never, app.app.deps)
  const subject = { organization: 'o', key: 'k' }
  const request = { id: 'r', subject, principal: { kind: 'public' }, ip: '::1', params: {}, query: {}, headers: {} }
  for (let n = 0; n < 2; n++) {
    const run = calls.run(putDocument, request as unknown as FastifyRequest, {
      ...{ body: Buffer.alloc(10), isStrict: false },
    })
    await expect(run).rejects.toMatchObject({ kind: 'unavailable' })
  }
  await calls.close()
})
