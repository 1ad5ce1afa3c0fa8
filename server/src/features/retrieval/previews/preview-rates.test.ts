import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

// The clock of this app is held, so that no request comes back while the others are counted.
const app = useOwnApp({ NOEMA_ROLES: 'http' })

test('PRV-08 SUR-04 a read with a change counts as five requests, and a preview as five and two for each question', async () => {
  app.clock.hold()
  const member = await createMember(app)
  const brain = await addBrain(app, member, 'counted')
  const operations = [{ op: 'record.put', id: 'a', kind: 'x' }]
  const { id } = (await brain.call('POST', '/batch', { operations, review: true })).body.data.change
  await app.app.deps.rates.share()
  const rate = { perSecond: 1, burst: 16 }
  const node = await app.startNode({
    NOEMA_TIERS: JSON.stringify({ free: { rate }, unverified: { rate } }),
    NOEMA_ORGANIZATION_RATE_FACTOR: '100',
  })
  const call = (method: string, path: string, body?: object) =>
    node.request(method, `${brain.path}${path}`, { key: member.key, ...(body ? { body } : {}) })
  const left = async () => /r=(\d+)/.exec((await call('GET', '')).headers.get('ratelimit') ?? '')?.[1]
  expect((await call('GET', `/records/a?change=${id}`)).status).toBe(200)
  expect(await left()).toBe('10')
  expect((await call('POST', `/changes/${id}/preview`, { questions: ['x', 'y'] })).status).toBe(200)
  expect(await left()).toBe('0')
  expect(await call('GET', `/records/a?change=${id}`)).toMatchObject({ status: 429 })
  await node.close()
})
