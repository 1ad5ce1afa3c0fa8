import { expect, test } from 'vitest'
import { addBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'
import { newWaitingRun } from '../../../test/sample-agents.ts'
import { eraseAll, findRowsWith } from '../erasing.fixture.ts'

// Work in progress while an organization ends.

const app = useOwnApp()
const createOwned = async (): Promise<TestBrain> => addBrain(app, await createMember(app), 'brain')
const remove = ({ session }: TestBrain, request = app.request) =>
  request('DELETE', '/v1/organization', { headers: session, body: { confirm: 'Somebody' } })

type Others = Parameters<typeof eraseAll>[1]
const expectGone = async ({ organizationId, brain }: TestBrain, marks: string[] = [], others: Others = []) => {
  await eraseAll(app, others)
  expect(await findRowsWith(app, organizationId)).toEqual(['erasures'])
  for (const mark of [brain.id, ...marks]) expect(await findRowsWith(app, mark)).toEqual([])
}

test('END-03 writes, new things and accepted invitations during the end of an organization are gone with it', async () => {
  for (let round = 0; round < 3; round++) {
    const owned = await createOwned()
    const guest = await joinOrganization(app, owned, 'admin')
    const { key, session } = owned
    const many = (send: (n: number) => Promise<unknown>) => Array.from({ length: 8 }, (_, n) => send(n))
    const posts: [string, object][] = [
      ['/v1/agents', { name: 'zqracing', instructions: 'Answer.', model: 'noema/extractive' }],
      ['/v1/webhooks', { url: 'http://127.0.0.1:9/zqracing', events: ['run.failed'] }],
      ['/v1/connectors', { name: 'zqracing', url: 'http://127.0.0.1:9/' }],
      ['/v1/brains/brain/keys', { name: 'zqracing', capabilities: ['read'] }],
      ['/v1/brains/brain/webhooks', { url: 'http://127.0.0.1:9/zqracing', types: ['date.reached'] }],
    ]
    const writing = [
      ...many((n) => owned.call('POST', '/records', { kind: 'zqracing', fields: { n } })),
      ...many((n) => app.request('PUT', `/v1/brains/racing-${n}`, { key, body: { name: 'zqracing' } })),
      ...many(() => app.request('POST', '/v1/keys', { headers: guest.session, body: { name: 'zqracing' } })),
      ...posts.map(([path, body]) => app.request('POST', path, { key, body })),
      ...posts.map(([path, body]) => app.request('POST', path, { headers: session, body })),
    ]
    // Begun at once, or when some of the others have happened.
    await writing[round * 6 - 1]
    const ended = await remove(owned)
    await Promise.all(writing)
    // A deadlock of many locks is answered with 503, to try again.
    if (ended.status === 503) expect((await remove(owned)).status).toBe(200)
    else expect(ended.status).toBe(200)
    for (const headers of [session, guest.session])
      expect((await app.request('GET', '/v1/brains', { headers })).status).toBe(403)
    await expectGone(owned, ['zqracing'])
  }
})

test('END-03 of deletions at once on two nodes one happens, and the others are refused', async () => {
  const node = await app.startNode()
  const owned = await createOwned()
  const answers = await Promise.all([
    remove(owned),
    remove(owned, node.request),
    remove(owned),
    remove(owned, node.request),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.every(({ status }) => [200, 403, 404].includes(status))).toBe(true)
  await expectGone(owned, [], [node])
  await node.close()
})

test('END-02 a run that goes on ends as abandoned, and its task with it', async () => {
  const owned = await createOwned()
  const { run } = await newWaitingRun(app, owned)
  // The row as it was at its end, before it was erased.
  await app.database.pool.query(`
    create table ended_runs (row jsonb);
    create function keep_ended_run() returns trigger language plpgsql as
      'begin insert into ended_runs values (to_jsonb(new)); return new; end';
    create trigger keep_ended_runs after update on runs for each row when (new.completed_at is not null)
      execute function keep_ended_run()`)
  expect((await remove(owned)).status).toBe(200)
  await eraseAll(app)
  const { rows } = await app.database.pool.query(`select row from ended_runs where row->>'id' = $1`, [run])
  expect(rows[0].row).toMatchObject({ state: 'abandoned', abandon_reason: 'The organization was deleted.' })
  await app.database.pool.query('drop table ended_runs; drop trigger keep_ended_runs on runs')
  await expectGone(owned, [run])
})
