import { beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { joinOrganization, removeMember } from '../../../test/organizations.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'

const agents = useAgents()

const question = 'When does the warehouse in Lyon open & close?'
let runId: string

const ask = async (brains: readonly string[], input: string): Promise<string> => {
  const agent = await agents.createAgent({ brains: brains.map((handle) => ({ handle, access: 'read_only' })) })
  const { body } = await agents.app.request('POST', '/v1/runs', {
    headers: { ...agents.scene.member.session, prefer: 'wait=30' },
    body: { agentId: agent.id, input },
  })
  expect(body.data?.run, JSON.stringify(body)).toMatchObject({ state: 'completed' })
  return body.data.run.runId
}

beforeAll(async () => {
  const text = 'The warehouse in Lyon opens at six in the morning, and closes at noon <sharp> & daily.'
  await agents.scene.brain.call('POST', '/documents', { id: 'lyon', title: 'Lyon "hours"', text })
  runId = await ask(['brain'], question)
})

const share = (body: object = {}, id = runId) => agents.call('POST', `/v1/runs/${id}/share`, body)

const make = async (body: object = {}, id = runId) => {
  const { status, body: answer } = await share(body, id)
  expect(status, JSON.stringify(answer)).toBe(201)
  return answer.data as { share: { id: string; views: number }; url: string }
}

/** Opens the page of a link without any credential. */
const open = async (url: string, method = 'GET') => {
  const response = await fetch(agents.app.base + new URL(url).pathname, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const list = async (query = '') => (await agents.call('GET', `/v1/shared-runs${query}`)).body.data.shares

test('SHR-01 a link shows the answer, the question and the sources of a run to anyone, as text, and nothing else', async () => {
  const { url, share: made } = await make()
  expect(made).toMatchObject({ runId, include: ['input', 'citations'], views: 0, lastViewedAt: null, revokedAt: null })
  const { status, headers, text } = await open(url)
  expect(status).toBe(200)
  expect(text).toContain('in Lyon open &amp; close?')
  expect(text).toContain('closes at noon \\&lt;sharp&gt; &amp; daily')
  expect(text).toContain('Lyon &quot;hours&quot;')
  expect(text).not.toMatch(/<sharp|<script|<img|Messages|Operations|https?:\/\//)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'self'/),
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  })
  expect(headers.get('set-cookie')).toBeNull()
})

test('SHR-01 a link includes the parts that were asked for, and operations without their data', async () => {
  const { url } = await make({ include: ['messages', 'operations', 'operations'] })
  const { text } = await open(url)
  expect(text).toContain('<h2>Messages</h2>')
  expect(text).toContain('<h2>Operations</h2>')
  expect(text).toMatch(/<code>[a-z_]+<\/code>: succeeded/)
  expect(text).not.toMatch(/<h2>(Input|Sources)/)
  const { url: bare } = await make({ include: [] })
  expect((await open(bare)).text).not.toContain('&amp; close?')
})

test('SHR-02 views are counted, and the list shows links of all runs or of one', async () => {
  const { url, share: made } = await make()
  await Promise.all([open(url), open(url)])
  expect((await open(url, 'HEAD')).status).toBe(200)
  const found = (await list()).find(({ id }: { id: string }) => id === made.id)
  expect(found).toMatchObject({ views: 2, lastViewedAt: expect.any(String) })
  expect(JSON.stringify(await list())).not.toContain(new URL(url).pathname.split('/').at(-1))
  const other = await ask(['brain'], 'Where is the warehouse?')
  const own = await make({}, other)
  expect(await list(`?runId=${other}`)).toMatchObject([{ id: own.share.id }])
})

test('SHR-03 a link ends when it expires, when it is revoked, and with the access of its maker', async () => {
  const [expiring, revoked] = [await make(), await make()]
  expect((await agents.call('DELETE', `/v1/shared-runs/${revoked.share.id}`)).status).toBe(200)
  expect((await agents.call('DELETE', `/v1/shared-runs/${revoked.share.id}`)).status).toBe(200)
  const gone = await open(revoked.url)
  expect(gone.status).toBe(404)
  const { member } = agents.scene
  const guest = await joinOrganization(agents.app, member)
  const theirs = await agents.app.request('POST', `/v1/runs/${runId}/share`, { headers: guest.session, body: {} })
  expect((await open(theirs.body.data.url)).status).toBe(200)
  await removeMember(agents.app, member, guest)
  const forged = await open(`${theirs.body.data.url.slice(0, -4)}AAAA`)
  for (const one of [await open(theirs.body.data.url), forged, await open('http://x/shared/none')])
    expect(one).toMatchObject({ status: 404, text: gone.text })
  agents.app.clock.advance({ days: 7 })
  expect((await open(expiring.url)).status).toBe(404)
  expect((await agents.call('GET', '/v1/audit?action=run.unshared')).body.data.entries).toHaveLength(1)
})

test('SHR-03 a link ends when the key that made it expires', async () => {
  const { member } = agents.scene
  const expiresAt = new Date(agents.app.clock.now().getTime() + 2 * 86_400_000).toISOString()
  const body = { name: 'short', expiresAt }
  const { secret } = (await agents.app.request('POST', '/v1/keys', { headers: member.session, body })).body.data
  const shared = await agents.app.request('POST', `/v1/runs/${runId}/share`, { key: secret, body: {} })
  expect((await open(shared.body.data.url)).status).toBe(200)
  agents.app.clock.advance({ days: 3 })
  expect((await open(shared.body.data.url)).status).toBe(404)
})

test('SHR-03 a link shows nothing once a Brain of its run is deleted, or the operator allows no links', async () => {
  const { member } = agents.scene
  const short: TestBrain = await addBrain(agents.app, member, 'short-lived')
  await short.call('POST', '/documents', { id: 'd', text: 'The vault in Nice opens at noon.' })
  const { url } = await make({}, await ask(['short-lived'], 'When does the vault in Nice open?'))
  expect((await open(url)).text).toContain('opens at noon')
  const other = await agents.app.startNode({ NOEMA_SHARED_RUNS: 'false' })
  const refused = await other.request('POST', `/v1/runs/${runId}/share`, { key: member.key, body: {} })
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'shared_runs_off' } } })
  expect((await fetch(other.base + new URL(url).pathname)).status).toBe(404)
  await agents.app.request('DELETE', short.path, { key: member.key, body: { confirm: 'short-lived' } })
  expect((await open(url)).status).toBe(404)
  await agents.app.app.workers.find(({ name }) => name === 'erase deleted Brains')?.run()
  const { rows } = await agents.app.database.pool.query(
    "select from runs where input::text like '%Erased with a Brain%'",
  )
  expect(rows).toHaveLength(1)
  expect((await open(url)).status).toBe(404)
})

test('SHR-04 a run is shared only by those who may read it, and its links are hidden from others', async () => {
  const { member } = agents.scene
  const secret = await addBrain(agents.app, member, 'secret')
  await secret.call('POST', '/documents', { id: 'd', text: 'The vault opens with code 4711.' })
  const hidden = await ask(['secret'], 'Which code does the vault open with?')
  const guest = await joinOrganization(agents.app, member)
  const asGuest = (method: string, path: string, body?: object) =>
    agents.app.request(method, path, { headers: guest.session, ...(body ? { body } : {}) })
  const early = await asGuest('POST', `/v1/runs/${hidden}/share`, {})
  expect((await open(early.body.data.url)).text).toContain('4711')
  await agents.app.request('PATCH', `${secret.path}/access`, { headers: member.session, body: { openTo: 'members' } })
  expect((await open(early.body.data.url)).status).toBe(404)
  const { share: own } = await make({}, hidden)
  expect((await asGuest('POST', `/v1/runs/${hidden}/share`, {})).status).toBe(404)
  expect((await asGuest('DELETE', `/v1/shared-runs/${own.id}`)).status).toBe(404)
  expect((await asGuest('GET', `/v1/shared-runs?runId=${hidden}`)).body.data.shares).toEqual([])
  const stranger = await createMember(agents.app)
  for (const [method, path] of [
    ['POST', `/v1/runs/${runId}/share`],
    ['DELETE', `/v1/shared-runs/${own.id}`],
  ] as const)
    expect((await agents.app.request(method, path, { key: stranger.key, body: {} })).status).toBe(404)
})

test('SHR-04 a link ends within 90 days, and an organization has a maximum of links that work', async () => {
  const { now } = agents.app.clock
  const at = (days: number) => new Date(now().getTime() + days * 86_400_000).toISOString()
  for (const expiresAt of [at(-1), at(0), at(91)])
    expect(await share({ expiresAt })).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: 'body.expiresAt' }] } },
    })
  const last = at(90)
  expect((await make({ expiresAt: last })).share).toMatchObject({ expiresAt: last })
  expect(await share({}, 'run_none')).toMatchObject({ status: 404 })
  const few = await agents.app.startNode({ NOEMA_MAX_RUN_SHARES: '1' })
  const more = await few.request('POST', `/v1/runs/${runId}/share`, { key: agents.scene.member.key, body: {} })
  expect(more).toMatchObject({ status: 409, body: { error: { code: 'too_many_shares' } } })
})
