import pg from 'pg'
import { afterEach, expect } from 'vitest'
import { useRuns } from '../../agent-runtime/use-runs.fixture.ts'
import { testSecret } from '../app.ts'
import type { Step } from '../models/step.ts'
import { startNodeProcess } from './server-process.ts'

type Settings = Record<string, string>

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
    let killed: Promise<void> | undefined
    const kill = () => {
      killed ??= node.kill()
      return killed
    }
    closers.push(kill)
    return { ...node, kill }
  }

  /** As if the leases of dead nodes were over. */
  const passLeases = async () => {
    for (const table of ['runs', 'eval_runs', 'goals', 'distillations'])
      await runs.query(`update ${table} set due_at = now() where lease is not null`)
    await runs.query('update brain_turns set due_at = now()')
  }

  /** Locks rows for a while, so that a statement of a node waits for them. */
  const lock = async (statement: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: runs.app.database.url })
    await client.connect()
    await client.query('begin')
    await client.query(statement, values)
    const release = async () => {
      await client.query('rollback')
      await client.end()
    }
    return { release }
  }
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const untilWaiting = () =>
    expect.poll(async () => (await runs.query(waiting)).length, { interval: 5 }).toBeGreaterThan(0)

  /** Kills a node while a statement of it waits for these rows, with its connections, and lets the rows go. */
  const killInside = async (
    node: { kill(): Promise<void> },
    { statement, values = [], act }: { statement: string; values?: unknown[]; act: () => Promise<unknown> | unknown },
  ) => {
    const locked = await lock(statement, values)
    const acting = Promise.resolve(act()).catch(() => undefined)
    await untilWaiting()
    await node.kill()
    await runs.query(`select pg_terminate_backend(pid) from (${waiting}) as left_behind`)
    await locked.release()
    await acting
    await passLeases()
  }

  const held: ((step: Step) => void)[] = []
  /** Lets the models wait for the test. */
  const holdModels = () => {
    held.length = 0
    runs.scripted.models.says(() => new Promise<Step>((resolve) => held.push(resolve)))
  }
  const untilAsked = () => expect.poll(() => held.length).toBeGreaterThan(0)
  /** Answers the newest request; those of dead nodes are forgotten. */
  const answer = async (step: Step) => {
    await untilAsked()
    held.splice(0).at(-1)?.(step)
  }
  const forgetRequests = () => void held.splice(0)

  return { ...runs, startNode, passLeases, killInside, holdModels, untilAsked, answer, forgetRequests }
}
