import { expect, test } from 'vitest'
import { addBrain, createMember } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'

// The clock of this app is held, so that no request comes back while the others are counted.
const app = useOwnApp()

test('COR-07 SUR-04 a call counts as one request for each part, also of parts that cannot be read', async () => {
  app.clock.hold()
  const member = await createMember(app)
  const handles = ['a', 'b', 'c', 'd']
  const brains = await Promise.all(handles.map((handle) => addBrain(app, member, handle)))
  const body = { parts: handles.map((brain) => ({ brain })) }
  await app.request('PUT', '/v1/corpora/four', { key: member.key, body })
  await brains[3]?.call('DELETE', '')
  await app.app.deps.rates.share()
  const rate = { perSecond: 1, burst: 9 }
  const node = await app.startNode({
    NOEMA_TIERS: JSON.stringify({ free: { rate }, unverified: { rate } }),
    NOEMA_ORGANIZATION_RATE_FACTOR: '100',
  })
  const search = () => node.request('POST', '/v1/corpora/four/search', { key: member.key, body: { q: 'x' } })
  const left = async () =>
    /r=(\d+)/.exec((await node.request('GET', '/v1/whoami', { key: member.key })).headers.get('ratelimit') ?? '')?.[1]
  expect((await search()).status).toBe(200)
  // Nine, without the four of the search, and without this request.
  expect(await left()).toBe('4')
  expect((await search()).status).toBe(200)
  const refused = await search()
  expect(refused).toMatchObject({ status: 429, body: { error: { kind: 'rate_limited' } } })
  await node.close()
})
