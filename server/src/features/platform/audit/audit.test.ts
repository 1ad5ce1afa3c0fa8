import { expect, test } from 'vitest'
import { signUpMember, type TestBrain } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { callOrganizations, joinOrganization, removeMember } from '../../../test/organizations.ts'

// The audit log over HTTP: every act leaves an entry, and a refused act or one without effect leaves none.

const app = useOwnApp()
const brain = useBrain(app)

type Entry = {
  id: string
  at: string
  actor: { type: string; id: string; userId: string }
  action: string
  target: Record<string, string>
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

const list = async (query = '', headers: Record<string, string> = {}) =>
  app.request('GET', `/v1/audit?limit=500${query}`, { ...(headers.cookie ? {} : { key: brain.key }), headers })

/** Lists the entries of an act, without ids and times. */
const listLeftBy = async (act: () => Promise<unknown>) => {
  const { body } = await list()
  const known = new Set((body.data.entries as Entry[]).map(({ id }) => id))
  await act()
  const { entries } = (await list()).body.data as { entries: Entry[] }
  return entries.filter(({ id }) => !known.has(id)).map(({ id: _id, at: _at, ...entry }) => entry)
}

const byKey = () => ({ type: 'key', id: brain.keyId, userId: expect.any(String) })
const onBrain = () => ({ type: 'brain', id: expect.stringMatching(/^brn_/), name: brain.brain.handle })

test('AUD-01 changes of a Brain are kept with who made them, as it was and as it is', async () => {
  const patch = (body: object) => () => brain.call('PATCH', '', body)
  expect(await listLeftBy(patch({ mode: 'review', purpose: 'Facts' }))).toEqual([
    {
      ...{ action: 'brain.changed', actor: byKey(), target: onBrain() },
      before: { purpose: null, mode: 'direct' },
      after: { purpose: 'Facts', mode: 'review' },
    },
  ])
  expect(await listLeftBy(patch({ mode: 'review' }))).toEqual([])
  expect(await listLeftBy(patch({ mode: 'wrong' }))).toEqual([])
  expect(await listLeftBy(patch({ mode: 'direct' }))).toMatchObject([{ after: { mode: 'direct' } }])
  expect(await listLeftBy(() => brain.call('PUT', '/hold', { reason: 'audit' }))).toMatchObject([
    { action: 'brain.held', after: { reason: 'audit' } },
  ])
  expect(await listLeftBy(() => brain.call('PUT', '/hold', { reason: 'audit' }))).toEqual([])
  expect(await listLeftBy(() => brain.call('DELETE', '/hold'))).toMatchObject([{ action: 'brain.released' }])
  expect(await listLeftBy(() => brain.call('DELETE', '/hold'))).toEqual([])
})

test('AUD-01 Brains are kept with their beginning and their end', async () => {
  const put = () => app.request('PUT', '/v1/brains/short', { key: brain.key, body: { purpose: 'p' } })
  const made = { action: 'brain.created', target: { type: 'brain', name: 'short' } }
  expect(await listLeftBy(put)).toMatchObject([made])
  expect(await listLeftBy(put)).toEqual([])
  const remove = () => app.request('DELETE', '/v1/brains/short', { key: brain.key })
  expect(await listLeftBy(remove)).toMatchObject([{ action: 'brain.deleted', before: { purpose: 'p' } }])
  expect(await listLeftBy(remove)).toEqual([])
})

test('AUD-01 keys of both sorts are kept when they are minted, rotated and revoked, and never their secrets', async () => {
  let id = ''
  const mint = async () => {
    const { body } = await brain.call('POST', '/keys', { name: 'agent', capabilities: ['read'] })
    id = body.data.key.id
  }
  const target = { type: 'brain_key', name: 'agent', brain: brain.brain.handle }
  expect(await listLeftBy(mint)).toMatchObject([
    { action: 'key.minted', actor: byKey(), target, after: { capabilities: ['read'] } },
  ])
  expect(await listLeftBy(() => brain.call('POST', `/keys/${id}/rotate`))).toMatchObject([
    { action: 'key.rotated', target: { ...target, id }, after: { replacedBy: expect.stringMatching(/^key_/) } },
  ])
  expect(await listLeftBy(() => brain.call('DELETE', `/keys/${id}`))).toMatchObject([{ action: 'key.revoked' }])
  expect(await listLeftBy(() => brain.call('DELETE', `/keys/${id}`))).toEqual([])
  const headers = brain.session
  const management = async () => {
    const { body } = await app.request('POST', '/v1/keys', { headers, body: { name: 'ops' } })
    id = body.data.key.id
  }
  const person = { type: 'session', id: expect.any(String), userId: expect.any(String) }
  expect(await listLeftBy(management)).toMatchObject([
    { action: 'key.minted', actor: person, target: { type: 'management_key', name: 'ops' } },
  ])
  const revoke = () => app.request('DELETE', `/v1/keys/${id}`, { headers })
  expect(await listLeftBy(revoke)).toMatchObject([{ action: 'key.revoked', target: { id } }])
  expect(await listLeftBy(revoke)).toEqual([])
  expect(JSON.stringify((await list()).body)).not.toMatch(/n[sb]k_[0-9A-Za-z]{20}/)
})

test('AUD-01 webhooks of both sorts are kept when they are made, moved, rotated and deleted', async () => {
  const url = 'http://127.0.0.1:9/'
  for (const [send, type] of [
    [(method: string, below: string, body?: object) => brain.call(method, `/webhooks${below}`, body), 'brain_webhook'],
    [
      (method: string, below: string, body?: object) =>
        app.request(method, `/v1/webhooks${below}`, { key: brain.key, ...(body ? { body } : {}) }),
      'webhook',
    ],
  ] as const) {
    let id = ''
    const create = async () => {
      const given = type === 'webhook' ? { url, events: ['run.failed'] } : { url, types: ['date.reached'] }
      id = (await send('POST', '', given)).body.data.webhook.id
    }
    expect(await listLeftBy(create)).toMatchObject([{ action: 'webhook.created', target: { type, name: url } }])
    expect(await listLeftBy(() => send('POST', `/${id}/rotate`))).toMatchObject([{ action: 'webhook.rotated' }])
    if (type === 'brain_webhook') {
      const pause = () => send('PATCH', `/${id}`, { paused: true })
      const noted = { action: 'webhook.changed', before: { paused: false }, after: { paused: true } }
      expect(await listLeftBy(pause)).toMatchObject([noted])
      expect(await listLeftBy(pause)).toEqual([])
    }
    expect(await listLeftBy(() => send('DELETE', `/${id}`))).toMatchObject([
      { action: 'webhook.deleted', target: { id } },
    ])
    expect(await listLeftBy(() => send('DELETE', `/${id}`))).toEqual([])
  }
})

test('AUD-01 members are kept when they are invited, join, change their role and go', async () => {
  let guest = {} as TestBrain
  const join = async () => {
    guest = (await joinOrganization(app, brain, 'member')) as TestBrain
  }
  const name = () => guest.email
  expect(await listLeftBy(join)).toMatchObject([
    { action: 'invitation.sent', target: { type: 'invitation', name: expect.any(String) }, after: { role: 'member' } },
    { action: 'member.joined', target: { type: 'member' }, after: { role: 'member' } },
  ])
  const { body } = await app.request('GET', '/api/auth/organization/list-members', { headers: brain.session })
  const memberId = body.members.find((one: { user: { email: string } }) => one.user.email === guest.email).id
  const { organizationId } = brain
  const promote = () => callOrganizations(app, brain, 'update-member-role', { memberId, role: 'admin', organizationId })
  expect(await listLeftBy(promote)).toMatchObject([
    { action: 'member.changed', target: { name: name() }, before: { role: 'member' }, after: { role: 'admin' } },
  ])
  const owner = (await list('&action=key.minted')).body.data.entries[0].actor.userId
  const removed = await listLeftBy(() => removeMember(app, brain, guest))
  expect(removed).toMatchObject([
    { action: 'member.removed', actor: { type: 'session', id: owner }, target: { name: name() } },
  ])
})

test('AUD-01 a member’s changes to their account, and an organization’s name, are logged', async () => {
  const person = await signUpMember(app)
  const headers = { ...person.session }
  const read = async () => (await list('', headers)).body.data.entries as Entry[]
  const id = (await read())[0]?.actor.userId
  const rename = (body: object) =>
    app.request('POST', '/api/auth/organization/update', {
      headers,
      body: { organizationId: person.organizationId, data: body },
    })
  await rename({ name: 'Renamed' })
  await rename({ name: 'Renamed' })
  const passwords = { currentPassword: 'correct horse battery', newPassword: 'another horse battery' }
  const change = (body: object) => app.request('POST', '/api/auth/change-password', { headers, body })
  expect((await change({ ...passwords, currentPassword: 'wrong' })).status).toBe(400)
  const changed = await change(passwords)
  headers.cookie = changed.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const made = await app.request('POST', '/api/auth/organization/create', {
    headers,
    body: { name: 'Second', slug: 'second-audited' },
  })
  const by = { type: 'session', id, userId: id }
  const organization = { type: 'organization', id: person.organizationId }
  const entries = (await read()).map(({ id: _id, at: _at, ...entry }) => entry)
  expect(entries).toEqual([
    { action: 'account.address_confirmed', actor: by, target: { type: 'account', id } },
    expect.objectContaining({ action: 'key.minted' }),
    {
      ...{ action: 'organization.changed', actor: by, target: organization },
      ...{ before: { name: 'Somebody' }, after: { name: 'Renamed' } },
    },
    { action: 'account.password_changed', actor: by, target: { type: 'account', id } },
  ])
  const second = await list('', { ...headers, 'x-organization-id': made.body.id })
  expect(second.body.data.entries).toMatchObject([
    { action: 'organization.created', actor: by, after: { name: 'Second', slug: 'second-audited' } },
  ])
  expect((await list('&action=nothing.done')).status).toBe(400)
})

test('AUD-02 owners and admins read the log; a member, their key, a Brain key and strangers do not', async () => {
  const [admin, member] = [await joinOrganization(app, brain, 'admin'), await joinOrganization(app, brain)]
  expect((await list('', brain.session)).status).toBe(200)
  expect((await list('', admin.session)).status).toBe(200)
  expect((await list('', member.session)).status).toBe(403)
  const minted = await app.request('POST', '/v1/keys', { headers: member.session, body: { name: 'm' } })
  const ask = (key: string) => app.request('GET', '/v1/audit', { key })
  expect((await ask(minted.body.data.secret)).status).toBe(403)
  expect((await ask(await brain.mintKey(['read', 'write', 'review', 'admin']))).status).toBe(401)
  const stranger = await signUpMember(app)
  const { entries } = (await ask(stranger.key)).body.data
  expect(entries.every(({ actor }: Entry) => actor.type === 'session')).toBe(true)
  expect(entries.map(({ action }: Entry) => action)).toEqual(['account.address_confirmed', 'key.minted'])
})

test('AUD-02 it is read in pages, by action and by target, in both orders', async () => {
  const all: Entry[] = (await list()).body.data.entries
  const reversed: Entry[] = (await list('&order=desc')).body.data.entries
  expect(reversed.map(({ id }) => id).reverse()).toEqual(all.map(({ id }) => id))
  const minted: Entry[] = (await list('&action=key.minted')).body.data.entries
  expect(minted).toEqual(all.filter(({ action }) => action === 'key.minted'))
  const { id } = all[0]?.target ?? { id: '' }
  expect((await list(`&target=${id}`)).body.data.entries).toEqual(all.filter(({ target }) => target.id === id))
  const first = (await app.request('GET', '/v1/audit?limit=2', { key: brain.key })).body.data
  const rest = (await list(`&after=${first.cursor}`)).body.data
  expect([...first.entries, ...rest.entries]).toEqual(all)
})

test('AUD-03 an act that fails leaves no entry, and entries are never changed', async () => {
  const taken = await listLeftBy(async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => app.request('PUT', '/v1/brains/at-once', { key: brain.key, body: {} })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })
  expect(taken).toHaveLength(1)
  for (const statement of [`update audit_entries set action = 'nothing'`, 'delete from audit_entries'])
    await expect(app.database.pool.query(statement)).rejects.toThrow('not changed')
  const { organizationId } = await signUpMember(app)
  const count = async () =>
    (await app.database.pool.query('select from audit_entries where organization_id = $1', [organizationId])).rowCount
  expect(await count()).toBe(2)
  await app.database.pool.query('delete from organization where id = $1', [organizationId])
  expect(await count()).toBe(0)
})

test('AUD-02 entries are found by who acted, a person with all their keys or one key, and by when', async () => {
  const owner = await signUpMember(app)
  const read = async (query: string) =>
    (await app.request('GET', `/v1/audit?${query}`, { headers: owner.session })).body.data.entries as Entry[]
  const body = { name: 'second' }
  const minted = (await app.request('POST', '/v1/keys', { headers: owner.session, body })).body.data
  app.clock.advance({ minutes: 10 })
  const later = app.clock.now().toISOString()
  await app.request('PUT', '/v1/brains/by-key', { key: minted.secret, body: {} })
  const byKey = await read(`actor=${minted.key.id}`)
  expect(byKey.map(({ action }) => action)).toEqual(['brain.created'])
  const userId = byKey[0]?.actor.userId ?? ''
  const byPerson = await read(`actor=${userId}`)
  expect(byPerson.map(({ action }) => action)).toEqual(expect.arrayContaining(['key.minted', 'brain.created']))
  expect((await read(`from=${later}`)).map(({ action }) => action)).toEqual(['brain.created'])
  expect((await read(`to=${later}&actor=${userId}`)).map(({ action }) => action)).not.toContain('brain.created')
  expect(await read('actor=nobody')).toEqual([])
  const refused = await app.request('GET', '/v1/audit?from=yesterday', { headers: owner.session })
  expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: 'query.from' }] } } })
})
