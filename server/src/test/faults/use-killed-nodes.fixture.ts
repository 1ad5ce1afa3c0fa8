import pg from 'pg'
import { afterEach, expect } from 'vitest'
import { useRuns } from '../../agent-runtime/use-runs.fixture.ts'
import { testSecret } from '../app.ts'
import type { Step } from '../models/step.ts'
import { startNodeProcess } from './server-process.ts'

type Settings = Record<string, string>
type KilledNode = Pick<Awaited<ReturnType<typeof startNodeProcess>>, 'base' | 'pid' | 'kill'>

const heldKey = 4_242
const waiting = `select pid from pg_locks where locktype = 'advisory' and objid = $1 and not granted
  and database = (select oid from pg_database where datname = current_database())`
const holdFunction = `create or replace function test_hold() returns trigger language plpgsql as $$ begin
  perform pg_advisory_xact_lock_shared(${heldKey});
  return new;
end $$`

/** Real nodes that do the work of an app, which only answers requests, and are killed in it. The models answer when the test lets them. */
export const useKilledNodes = (settings: Settings = {}) => {
  const runs = useRuns({ NOEMA_ROLES: 'http', NOEMA_EMBEDDINGS: 'off' })
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })
  const environment = { NOEMA_SECRET: testSecret, NOEMA_PROVIDER_ALLOW: '127.0.0.1:*', ...settings }
  const startNode = async () => {
    const node = await startNodeProcess(runs.app.database.url, environment)
    closers.push(node.kill)
    return node
  }

  /** As if the leases of dead nodes were over. */
  const passLeases = async () => {
    for (const table of ['runs', 'eval_runs', 'goals', 'distillations', 'schedules'])
      await runs.query(`update ${table} set due_at = now() where lease is not null`)
    await runs.query('update brain_turns set due_at = now()')
  }

  /**
   * Starts a node and kills it in a statement that is about to write a row: `before` names the write and its table ("insert on changes"),
   * `when` a condition on the `new` row. The statement ends with the connection of the node, so the row is not written. The wait is prepared
   * before the node starts, and nothing else waits there, so the node dies at this point on a fast machine and on a slow one.
   */
  const killAt = async (
    { before, when = 'true' }: { before: string; when?: string },
    act: (node: KilledNode) => Promise<unknown> | unknown = () => undefined,
  ) => {
    const client = new pg.Client({ connectionString: runs.app.database.url })
    await client.connect()
    try {
      await client.query(holdFunction)
      await client.query('select pg_advisory_lock($1)', [heldKey])
      await client.query(
        `create trigger test_hold before ${before} for each row when (${when}) execute function test_hold()`,
      )
      const node = await startNode()
      const acting = Promise.resolve(act(node)).catch(() => undefined)
      await expect.poll(async () => (await client.query(waiting, [heldKey])).rows).not.toEqual([])
      await node.kill()
      await client.query(`select pg_terminate_backend(pid) from (${waiting}) as left_behind`, [heldKey])
      await client.query(`drop trigger test_hold on ${before.slice(before.indexOf(' on ') + 4)}`)
      await acting
    } finally {
      await client.end()
    }
    await passLeases()
  }

  const held: ((step: Step) => void)[] = []
  /** Lets the models wait for the test. Returns what waits. */
  const holdModels = () => {
    held.length = 0
    runs.scripted.models.says(() => new Promise<Step>((resolve) => held.push(resolve)))
    return held
  }
  const untilAsked = () => expect.poll(() => held.length).toBeGreaterThan(0)
  /** Answers the newest request; those of dead nodes are forgotten. */
  const answer = async (step: Step) => {
    await untilAsked()
    held.splice(0).at(-1)?.(step)
  }
  const forgetRequests = () => void held.splice(0)

  return { ...runs, startNode, passLeases, killAt, holdModels, untilAsked, answer, forgetRequests }
}
