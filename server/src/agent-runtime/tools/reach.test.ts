import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addBrain } from '../../test/app.ts'
import { useApp, useBrainPerTest, useMember } from '../../test/harness.ts'
import { joinOrganization, removeMember } from '../../test/organizations.ts'
import { addRun, callRunTool, findStarter, type TestRun } from './run-tools.fixture.ts'

// Each call of a run looks up its access: a right that ends or changes meanwhile takes effect at the next one.

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

const write = { operations: [{ op: 'record.put', id: 'bob', kind: 'person' }] }
const read = (run: TestRun) => callRunTool(app, run, 'knowledge_read', { action: 'list_records' })
const refused = (said: string) => ({ isError: true, output: expect.stringContaining(said) })
const mayRead = { isError: false }
const hasEnded = refused('The starter of this run has lost access')

test('a hold acts at the next call of a run: it reads on and writes no more', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  expect(await callRunTool(app, run, 'knowledge_write', write)).toMatchObject(mayRead)
  await brain.call('PUT', '/hold', { reason: 'audit' })
  const again = { operations: [{ op: 'record.put', id: 'eve', kind: 'person' }] }
  expect(await callRunTool(app, run, 'knowledge_write', again)).toMatchObject(refused('brain_held'))
  expect(await read(run)).toMatchObject(mayRead)
})

test('a deletion acts at the next call of a run, and a new Brain of the same handle is not the one that it was given', async () => {
  const run = await addRun(app, [{ brain, access: 'read_only' }])
  expect(await read(run)).toMatchObject(mayRead)
  await brain.call('DELETE', '')
  expect(await read(run)).toMatchObject(refused('is gone'))
  await addBrain(app, member, brain.brain.handle)
  expect(await read(run)).toMatchObject(refused('is gone'))
})

test('a grant to read opens no write, whatever a model is made to call', async () => {
  const run = await addRun(app, [{ brain, access: 'read_write' }])
  await sql`update run_brains set access = 'read_only' where run_id = ${run.id}`.execute(app.app.deps.db)
  expect(await callRunTool(app, run, 'knowledge_write', write)).toMatchObject(refused('needs write; the key has read'))
})

const mintKey = async () => {
  const minted = await app.request('POST', '/v1/keys', { headers: member.session, body: { name: 'other' } })
  return findStarter(app, { keyId: minted.body.data.key.id })
}
const revoke = (id: string) => app.request('DELETE', `/v1/keys/${id}`, { headers: member.session })

test('D-13 a key that is revoked takes with it what runs that it started may reach, and of the runs that those started', async () => {
  const starter = await mintKey()
  const run = await addRun(app, [{ brain, access: 'read_write' }], { starter })
  const asRun = { type: 'run', id: run.id } as const
  const child = await addRun(app, [{ brain, access: 'read_only' }], { starter: asRun, parent: run.id })
  expect(await read(child)).toMatchObject(mayRead)
  expect((await revoke(starter.id)).status).toBe(200)
  for (const one of [run, child]) expect(await read(one)).toMatchObject(hasEnded)
  expect(await callRunTool(app, run, 'knowledge_write', write)).toMatchObject(hasEnded)
})

test('a schedule that a key made goes on without the key, like a key of a Brain', async () => {
  const starter = await mintKey()
  const run = await addRun(app, [{ brain, access: 'read_only' }], { starter, schedule: 'sch_test' })
  await revoke(starter.id)
  expect(await read(run)).toMatchObject(mayRead)
})

test('D-13 a member who is removed takes with them what their runs may reach; what they scheduled goes on', async () => {
  const guest = await joinOrganization(app, member)
  const whoami = await app.request('GET', '/v1/whoami', { headers: guest.session })
  const userId: string = whoami.body.data.user.id
  const starter = { type: 'session', id: userId, userId } as const
  const own = await addRun(app, [{ brain, access: 'read_only' }], { starter })
  const scheduled = await addRun(app, [{ brain, access: 'read_only' }], { starter, schedule: 'sch_test' })
  for (const run of [own, scheduled]) expect(await read(run)).toMatchObject(mayRead)
  await removeMember(app, member, guest)
  expect(await read(own)).toMatchObject(hasEnded)
  expect(await read(scheduled)).toMatchObject(mayRead)
})
