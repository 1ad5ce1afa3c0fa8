import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect, test } from 'vitest'
import { createMember, testSecret } from '../../../test/app.ts'
import { useOwnApp } from '../../../test/harness.ts'
import { findRowsWith, forgetRates } from '../erasing.fixture.ts'

// Only nodes that the test starts work in the background.

const app = useOwnApp({ NOEMA_ROLES: 'http' })
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A node that erases in a process of its own. Messages are seconds by which its clock moves on. */
const startErasing = async (): Promise<ChildProcess> => {
  const program = join(import.meta.dirname, '../../../test/faults/delivering-node.ts')
  const node = fork(program, [app.database.url, testSecret, 'erase what has ended'], { execArgv: [] })
  closers.push(() => node.kill('SIGKILL'))
  await once(node, 'message')
  return node
}

/** Hears of what is erased, `channel` is deleted or erased; from the second deletion on, deleting waits until it may go on. */
const openEar = async () => {
  await app.database.pool.query(`
    create sequence deletions;
    create function notify_test() returns trigger language plpgsql as $$
      begin
        perform pg_notify(tg_argv[0], '');
        if tg_argv[0] = 'deleted' and nextval('deletions') > 1 then perform pg_advisory_xact_lock(1); end if;
        return null;
      end $$;
    create trigger notify_deleted after delete on run_parts for each statement execute function notify_test('deleted');
    create trigger notify_erased after update on erasures for each row when (new.erased_at is not null)
      execute function notify_test('erased')`)
  const client = new pg.Client(app.database.url)
  await client.connect()
  closers.push(() => client.end())
  await client.query('listen deleted')
  await client.query('listen erased')
  await client.query('select pg_advisory_lock(1)')
  return {
    hear: (channel: 'deleted' | 'erased') =>
      new Promise<void>((resolve) => client.on('notification', (heard) => heard.channel === channel && resolve())),
    goOn: () => client.query('select pg_advisory_unlock(1)'),
  }
}

const parts = 20_000

test('END-03 kill -9 of the node that erases leaves the rest to another one', async () => {
  const { organizationId, session } = await createMember(app)
  await app.database.pool.query(
    `insert into run_parts (organization_id, run_id, number, part)
     select $1, 'run_long', number, 'part' from generate_series(1, $2::integer) as number`,
    [organizationId, parts],
  )
  const { hear, goOn } = await openEar()
  const ended = await app.request('DELETE', '/v1/organization', { headers: session, body: { confirm: 'Somebody' } })
  expect(ended.status).toBe(200)
  const [begun, erased] = [hear('deleted'), hear('erased')]
  const first = await startErasing()
  first.send(0)
  await begun
  first.kill('SIGKILL')
  await once(first, 'exit')
  await goOn()
  const { rows } = await app.database.pool.query('select count(*)::integer as left from run_parts')
  expect(rows[0].left).toBeGreaterThan(0)
  expect(rows[0].left).toBeLessThan(parts)
  const second = await startErasing()
  // The lease of the first has ended by then.
  second.send(120)
  await erased
  await app.app.deps.rates.share()
  expect(await findRowsWith(app, organizationId)).toEqual(['erasures', 'rate_buckets'])
  // A bucket of its requests goes as soon as it is full again.
  await forgetRates(app, [app.app])
  expect(await findRowsWith(app, organizationId)).toEqual(['erasures'])
})
