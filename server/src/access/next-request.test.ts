import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrain, type TestBrain } from '../test/app.ts'
import { useOwnApp } from '../test/harness.ts'
import { callOrganizations, joinOrganization, removeMember } from '../test/organizations.ts'

// Access that is revoked on one node is refused by every other node at the next request: no node caches it.

const app = useOwnApp()
let node: Awaited<ReturnType<typeof app.startNode>>
let brain: TestBrain
beforeAll(async () => {
  node = await app.startNode()
  brain = await createBrain(app, 'brain')
})
afterAll(() => node.close())

/** Returns the other node's answers before the revocation and at the next request. */
const askAround = async (headers: Record<string, string>, end: () => Promise<unknown>): Promise<number[]> => {
  const ask = async () => (await node.request('GET', brain.path, { headers })).status
  const before = await ask()
  await end()
  return [before, await ask()]
}

/** Counts how often each pair of answers occurred. */
const countPairs = async (rounds: number, round: (n: number) => Promise<number[]>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (let n = 0; n < rounds; n++) {
    const pair = (await round(n)).join(' then ')
    counts[pair] = (counts[pair] ?? 0) + 1
  }
  return counts
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const mint = async (headers: Record<string, string>, body: object = {}) =>
  (await app.request('POST', '/v1/keys', { headers, body: { name: 'ending', ...body } })).body.data
const mintForBrain = async () =>
  (await brain.call('POST', '/keys', { name: 'ending', capabilities: ['read'] })).body.data

test('AUT-08 KEY-04 a management key that is revoked is refused at the next request on another node, 50 of 50 times', async () => {
  const counts = await countPairs(50, async () => {
    const { key, secret } = await mint(brain.session)
    return askAround(bearer(secret), () => app.request('DELETE', `/v1/keys/${key.id}`, { headers: brain.session }))
  })
  expect(counts).toEqual({ '200 then 401': 50 })
})

test('KEY-08 a Brain key that is revoked is refused at the next request on another node, 50 of 50 times', async () => {
  const counts = await countPairs(50, async () => {
    const { key, secret } = await mintForBrain()
    return askAround(bearer(secret), () => brain.call('DELETE', `/keys/${key.id}`))
  })
  expect(counts).toEqual({ '200 then 401': 50 })
})

test('AUT-02 a key that expires is refused at the next request on another node, 50 of 50 times', async () => {
  const counts = await countPairs(50, async () => {
    const expiresAt = new Date(app.clock.now().getTime() + 2 * 86_400_000).toISOString()
    const { secret } = await mint(brain.session, { expiresAt })
    return askAround(bearer(secret), async () => app.clock.advance({ days: 3 }))
  })
  expect(counts).toEqual({ '200 then 401': 50 })
})

test('AUT-08 D-13 a removed member is refused at the next request on another node, session and key, 50 of 50 times', async () => {
  const guest = await joinOrganization(app, brain)
  const { organizationId } = brain
  const counts = await countPairs(25, async (n) => {
    if (n > 0) {
      await app.database.pool.query('delete from mail_outbox')
      const invited = await callOrganizations(app, brain, 'invite-member', {
        email: guest.email,
        role: 'member',
        organizationId,
      })
      await callOrganizations(app, guest, 'accept-invitation', { invitationId: invited.body.id })
    }
    const { secret } = await mint(guest.session)
    const bySession = await askAround(guest.session, async () => undefined)
    const byKey = await askAround(bearer(secret), () => removeMember(app, brain, guest))
    const session = (await node.request('GET', brain.path, { headers: guest.session })).status
    return [...bySession.slice(0, 1), ...byKey, session]
  })
  expect(counts).toEqual({ '200 then 200 then 401 then 403': 25 })
})
