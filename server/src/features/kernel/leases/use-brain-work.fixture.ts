import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createTopics } from '../../../shared/concurrency/topics.ts'
import { createLog } from '../../../shared/log.ts'
import { createDuePolls } from '../../../storage/due-polls.ts'
import { createTestClock } from '../../../test/clock.ts'
import { isCluster } from '../../../test/cluster.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createTurns } from '../../../workers/turns.ts'
import { type BrainTurn, type BrainTurnEnd, type BrainWork, createBrainWork } from './leases.ts'

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>
type TestClock = ReturnType<typeof createTestClock>

const openTopics = () => createTopics({ send: async () => {}, listen: () => {}, close: async () => {} })

/** A node whose turns run the test's function, and the Brains of its turns in order. */
const createStartNode =
  (find: () => Pick<TestDatabase, 'db'>, clock: TestClock) =>
  (
    run: (brainId: number, turn: BrainTurn) => Promise<BrainTurnEnd>,
    spec: Partial<BrainWork> = {},
    random = () => 1,
  ) => {
    const { db } = find()
    const topics = openTopics()
    const begun: number[] = []
    const work = createBrainWork(
      { db, clock },
      {
        ...{ name: 'test', work: 'test', maxTurns: 4, leaseSeconds: 30 },
        behind: (narrow) => sql`select to_do.brain_id, null::timestamptz as due from to_do
        where ${narrow(sql`to_do.brain_id`)}`,
        run: (brainId, turn) => {
          begun.push(brainId)
          return run(brainId, turn)
        },
        ...spec,
      },
    )
    let unstored = 0
    const storeOutcomes: typeof work.storeOutcomes = (given) =>
      work.storeOutcomes(given).catch((error) => {
        unstored++
        throw error
      })
    const deps = { clock, log: createLog('silent'), topics, findDueKeys: createDuePolls(db, isCluster), random }
    const node = createTurns(deps, { ...work, storeOutcomes })
    node.start()
    return {
      begun,
      topics,
      unstored: () => unstored,
      run: node.run,
      stop: node.stop,
      health: node.backoff.health,
      pass: node.pass ?? node.run,
    }
  }

/** A database in which Brains have something to do, and nodes that do it as leased work. */
export const useBrainWork = () => {
  let database: TestDatabase
  const clock = createTestClock()
  beforeAll(async () => {
    database = await createTestDatabase()
    await database.pool.query('create table to_do (brain_id bigint primary key)')
    if (isCluster)
      await database.pool.query(`select create_distributed_table('to_do', 'brain_id', colocate_with => 'brains')`)
  })
  afterAll(() => database.drop())
  beforeEach(() => database.pool.query('truncate to_do, brain_turns'))

  let made = 0
  /** A Brain of an organization, with something to do. */
  const addBrain = async (organization: string): Promise<number> => {
    const { pool } = database
    await pool.query(
      `insert into organization (id, name, slug, "createdAt") values ($1, $1, $1, now()) on conflict do nothing`,
      [organization],
    )
    const id = `brain-${++made}`
    const { rows } = await pool.query(
      'insert into brain_directory (organization_id, handle, id) values ($1, $2, $2) returning brain_id as id',
      [organization, id],
    )
    await pool.query(
      `insert into brains (brain_id, id, organization_id, handle, mode, cursor_key, created_at, updated_at)
        overriding system value values ($1, $2, $3, $2, 'direct', '\\x00', now(), now())`,
      [rows[0].id, id, organization],
    )
    await addWork(rows[0].id)
    return rows[0].id
  }
  const addWork = (brainId: number) =>
    database.pool.query('insert into to_do values ($1) on conflict do nothing', [brainId])
  const finish = (brainId: number) => database.pool.query('delete from to_do where brain_id = $1', [brainId])
  const turns = async () =>
    (await database.pool.query('select brain_id as id, lease, failures, due_at as "dueAt" from brain_turns order by 1'))
      .rows

  const done = async (brainId: number): Promise<BrainTurnEnd> => {
    await finish(brainId)
    return 'done'
  }

  const startNode = createStartNode(() => database, clock)
  return { clock, addBrain, addWork, finish, turns, startNode, done, findDatabase: () => database }
}
