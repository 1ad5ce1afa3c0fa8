import { expect, test } from 'vitest'
import { addBrain, createMember, type TestMember } from '../../../test/app.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'

const app = useApp()
const member = useMember(app)

type Listed = { id: string; brain: { handle: string }; decision: string; application: string }

const list = async (query = '', { key }: Pick<TestMember, 'key'> = member) => {
  const { status, body } = await app.request('GET', `/v1/changes${query}`, { key })
  expect([query, status]).toEqual([query, 200])
  return body.data as { changes: (Listed & Record<string, unknown>)[]; cursor: string; hasMore: boolean }
}

const listOf = async (handle: string, query = '') => (await list(`?brain=${handle}${query}`)).changes

const addReviewed = async (handle: string) => {
  const brain = await addBrain(app, member, handle)
  await brain.call('PATCH', '', { mode: 'review' })
  return brain
}

test('REV-05 D-40 changes of all Brains of an organization are one list, by decision, application and Brain, in both orders', async () => {
  const [one, other] = [await addBrain(app, member, 'one'), await addReviewed('other')]
  await addBrain(app, await createMember(app), 'foreign').then((foreign) =>
    foreign.call('POST', '/records', { kind: 'n' }),
  )
  const made: string[] = []
  for (let n = 0; n < 6; n++) {
    const brain = n % 2 ? one : other
    made.push((await brain.call('POST', '/records', { kind: 'note', fields: { n } })).body.data.change.id)
  }
  await other.call('POST', `/changes/${made[0]}/decide`, { decision: 'approved', publish: false })
  await other.call('POST', `/changes/${made[2]}/decide`, { decision: 'rejected' })
  const listIds = async (query: string) => (await list(query)).changes.map(({ id }) => id)
  expect(await listIds('')).toEqual(made)
  expect(await listIds('?order=desc')).toEqual(made.toReversed())
  expect(await listIds('?decision=pending')).toEqual([made[4]])
  expect(await listIds('?decision=rejected')).toEqual([made[2]])
  expect(await listIds('?decision=approved&order=desc')).toEqual([made[5], made[3], made[1], made[0]])
  expect(await listIds('?application=applied')).toEqual([made[1], made[3], made[5]])
  expect(await listIds('?application=applied&decision=pending')).toEqual([])
  expect(await listIds('?brain=other')).toEqual([made[0], made[2], made[4]])
  expect(await listIds('?brain=one&decision=pending')).toEqual([])
  expect(await listIds(`?ids=${made[3]},${made[0]},chg_none`)).toEqual([made[0], made[3]])
  expect(await listIds(`?brain=one&ids=${made[3]},${made[0]}&decision=approved`)).toEqual([made[3]])
  expect((await app.request('GET', `/v1/changes?ids=${'x,'.repeat(100)}x`, { key: member.key })).status).toBe(400)
  const first = await list('?limit=4&order=desc')
  expect(first.hasMore).toBe(true)
  const rest = await list(`?limit=4&order=desc&after=${first.cursor}`)
  expect([...first.changes, ...rest.changes].map(({ id }) => id)).toEqual(made.toReversed())
  expect(first.changes.map(({ brain }) => brain.handle)).toEqual(['one', 'other', 'one', 'other'])
  expect((await app.request('GET', '/v1/changes?brain=foreign', { key: member.key })).status).toBe(404)
  await other.call('DELETE', '')
  expect(await listIds('')).toEqual([made[1], made[3], made[5]])
})

test('REV-05 the list says how many items do what, what they are about, and what a reviewer should check', async () => {
  const brain = await addReviewed('summed')
  const operations = [
    ...['a', 'b', 'c'].map((id) => ({ op: 'record.put', id, kind: 'task', fields: { hidden: 'a\u200bb' } })),
    { op: 'document.put', id: 'd', text: 'Words.', provenance: { trust: 'unverified' } },
  ]
  await brain.call('POST', '/batch', { operations })
  const [change] = await listOf('summed')
  expect(change).toMatchObject({
    brain: { id: brain.brain.id, handle: 'summed', name: null },
    ...{ decision: 'pending', application: 'not_applied', itemCount: 4, outdated: false },
    operations: { 'document.put': 1, 'record.put': 3 },
    targets: ['a', 'b', 'c'].map((id) => ({ type: 'record', id, kind: 'task' })),
    flags: ['hidden_characters', 'unverified_source'],
  })
  expect(change).not.toHaveProperty('items')
})

test('REV-05 the list has the names that a change proposes', async () => {
  const brain = await addReviewed('proposed')
  const operations = [
    { op: 'record.create', kind: 'task', fields: { title: 'Mend the quay', name: 7 } },
    { op: 'document.put', id: 'd', title: 'é'.repeat(900), text: 'Words.' },
    { op: 'record.create', kind: 'task', fields: {} },
  ]
  const staged = (await brain.call('POST', '/batch', { operations })).body.data.change.id
  const readNames = async () => {
    const [change] = (await listOf('proposed')) as unknown as [{ targets: { name?: string }[] }]
    return change.targets.map(({ name }) => name)
  }
  expect(await readNames()).toEqual(['Mend the quay', 'é'.repeat(200), undefined])
  await brain.call('POST', `/changes/${staged}/decide`, { decision: 'approved' })
  expect((await readNames()).length).toBe(3)
})

test('REV-05 the list calls a change outdated if the change itself does, also when a text is served by now', async () => {
  const brain = await addBrain(app, member, 'moving')
  await brain.call('PUT', '/records/r', { kind: 'note', fields: { n: 1 } })
  await brain.call('PATCH', '', { mode: 'review' })
  await brain.call('PATCH', '/records/r', { fields: { n: 2 } })
  await brain.call('POST', '/documents', { id: 'd', text: 'The same words.' })
  const seen = async () => (await listOf('moving', '&decision=pending')).map(({ outdated, flags }) => [outdated, flags])
  expect(await seen()).toEqual([
    [false, []],
    [false, []],
  ])
  await brain.call('PATCH', '', { mode: 'direct' })
  await brain.call('PATCH', '/records/r', { fields: { n: 3 } })
  await brain.call('POST', '/documents', { id: 'e', text: 'The same words.' })
  expect(await seen()).toEqual([
    [true, []],
    [false, ['duplicate_text']],
  ])
})

test('REV-05 a text that is too long for a list is not examined, and the list says so', async () => {
  const brain = await addReviewed('long')
  await brain.call('POST', '/documents', { text: 'word '.repeat(200_000) })
  await brain.call('POST', '/records', { kind: 'note' })
  expect((await listOf('long')).map(({ flags, outdated }) => [flags, outdated])).toEqual([
    [['unchecked'], null],
    [['unchecked'], null],
  ])
  expect((await listOf('long', '&order=desc')).map(({ flags, outdated }) => [flags, outdated])).toEqual([
    [[], false],
    [['unchecked'], null],
  ])
})

test('REV-05 it names the key, the person who was signed in and who decided, and no one whom an import names', async () => {
  const brain = await addReviewed('named')
  const key = await brain.mintKey(['write'])
  await brain.call('POST', '/records', { kind: 'note' }, { key })
  const guest = await joinOrganization(app, member)
  await app.request('POST', `${brain.path}/records`, { headers: guest.session, body: { kind: 'note' } })
  const [byKey, bySession] = await listOf('named')
  expect(byKey?.stagedByName).toEqual(expect.any(String))
  await app.request('POST', `${brain.path}/changes/${byKey?.id}/decide`, {
    ...{ headers: guest.session, body: { decision: 'rejected' } },
  })
  const { rows } = await app.database.pool.query('select name from "user" where email = $1', [guest.email])
  expect(bySession?.stagedByName).toBe(rows[0].name)
  expect((await listOf('named'))[0]).toMatchObject({ stagedByName: byKey?.stagedByName, decidedByName: rows[0].name })
  // A person without a name goes by their address.
  await app.database.pool.query(`update "user" set name = '' where email = $1`, [guest.email])
  expect((await listOf('named'))[1]?.stagedByName).toBe(guest.email)
  const stranger = await createMember(app)
  const { rows: strangers } = await app.database.pool.query('select id from "user" where email = $1', [stranger.email])
  await app.database.pool.query(`update changes set submitted_by = $1, submitted_by_actor = $2 where id = $3`, [
    strangers[0].id,
    JSON.stringify({ type: 'session', id: strangers[0].id }),
    bySession?.id,
  ])
  expect((await listOf('named'))[1]).not.toHaveProperty('stagedByName')
})

// No version before this one wrote to distributed tables, which have no triggers.
test.skipIf(isCluster)('REV-05 a change that a node of the version before wrote is listed', async () => {
  const brain = await addBrain(app, member, 'older')
  await app.database.pool.query(
    `insert into changes (brain_id, id, decision, application, submitted_by, created_at)
     select brain_id, 'chg_older', 'pending', 'not_applied', 'key_older', now() from brains where id = $1`,
    [brain.brain.id],
  )
  expect((await list('?decision=pending')).changes.map(({ id }) => id)).toContain('chg_older')
})
