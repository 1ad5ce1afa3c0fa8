import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { useBrain, useOwnApp } from '../test/harness.ts'
import { joinOrganization } from '../test/organizations.ts'

const app = useOwnApp()
const brain = useBrain(app)

const rows = async (query: string) => (await app.database.pool.query(query)).rows
const keys = () => rows('select id, people, line from brain_keys order by id')
const openChanges = () =>
  rows(
    `select id, submitted_by_user as person, submitted_by_actor as actor from changes where decision = 'pending' order by id`,
  )

const addedColumns: Record<string, string[]> = {
  organization_schemas: ['created_by_actor'],
  organization_webhooks: ['created_by_actor'],
  brain_webhooks: ['created_by_actor'],
  brain_keys: ['people', 'line'],
  brains: ['held_by_actor'],
  changes: ['submitted_by_actor', 'decided_by_actor'],
}

test('D-42 the migration records who minted and rotated older keys, and the people behind open changes', async () => {
  const ben = await joinOrganization(app, brain)
  const minted = await app.request('POST', '/v1/keys', { headers: ben.session, body: { name: 'ben' } })
  const bens: string = minted.body.data.secret
  const rotate = async (id: string, key: string) =>
    (await app.request('POST', `${brain.path}/keys/${id}/rotate`, { key })).body.data
  const body = { name: 'agent', capabilities: ['write'] }
  const first = (await brain.call('POST', '/keys', body)).body.data
  const second = await rotate(first.key.id, bens)
  const third = await rotate(second.key.id, brain.key)
  await brain.call('POST', '/keys', body, { key: bens })
  await brain.call('PATCH', '', { mode: 'review' })
  for (const key of [first.secret, second.secret, third.secret])
    expect((await brain.call('POST', '/records', { kind: 'note' }, { key })).status).toBe(202)
  const written = [await keys(), await openChanges()]
  expect(written[0]?.map(({ people }) => people.length)).toEqual([1, 2, 2, 1])
  // A node that works on the tables meanwhile could come into a deadlock with the migration.
  await app.app.close()
  await rows('update changes set submitted_by_user = null')
  for (const [table, columns] of Object.entries(addedColumns))
    for (const column of columns) await rows(`alter table ${table} drop column ${column}`)
  const file = new URL('./migrations/0015_actors.sql', import.meta.url)
  await app.database.pool.query(await readFile(file, 'utf8'))
  expect([await keys(), await openChanges()]).toEqual(written)
})
