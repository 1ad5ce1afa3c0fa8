import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createTopics } from '../../../shared/concurrency/topics.ts'
import { createLog } from '../../../shared/log.ts'
import { createMeasures } from '../../../shared/measures.ts'
import { openKeyedDatabase } from '../../../storage/database.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { leaseRuns, renewLeases } from './lease-queries.ts'
import { openRunStore } from './run-store.ts'
import { insertRuns, type NewRun } from './start-queries.ts'

const app = useOwnApp({ NOEMA_ROLES: 'http' })
const member = useMember(app)
const rows = 20_000
let organizationId: string
beforeAll(() => {
  organizationId = member.organizationId
})

const now = new Date()

const toRun = (id: string): NewRun => ({
  ...{ organizationId, id, agentId: 'agent', agentVersion: 1, projectId: 'project', conversationId: null },
  ...{ input: 'Go.', metadata: null, startedBy: { type: 'system', id: 'test' }, trigger: null, scheduleId: null },
  ...{ parent: null, depth: 0, lineage: [], maxAccess: null, traceparent: null, createdAt: now, dueAt: now },
  ...{ claim: undefined, messages: [], brains: [], corpora: [] },
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

const listScans = (plan: Plan): Plan[] => [
  ...(plan['Relation Name'] === undefined ? [] : [plan]),
  ...(plan.Plans ?? []).flatMap(listScans),
]

/** One connection that makes new plans each time, on which a run has been started, leased, read, stored and ended. */
const openWithRun = async (id: string) => {
  const { db, close } = openKeyedDatabase(app.database.url, createLog('silent'), 1, { planMilliseconds: 0 })
  const topics = createTopics({ send: async () => {}, listen: () => {}, close: async () => {} })
  const store = openRunStore({ db, clock: { now: () => now }, topics, measures: createMeasures() })
  const work = async () => {
    await insertRuns(db, [toRun(id)])
    const running = { free: 10, maxOfOrganization: 10, organizations: [], owners: [] }
    const until = new Date(now.getTime() + 10_000)
    const leased = await leaseRuns(db, { keys: [organizationId], lease: 'lease', now, until, running })
    const run = leased.rows.find((row) => row.id === id)
    if (!run) throw new Error('the run was not leased')
    await store.read(run)
    const held = { organizationId, id, lease: 'lease' }
    const used = { inputTokens: 0, outputTokens: 0, costNanodollars: 0, isCostKnown: true, steps: 0 }
    const nothing = { begun: [], changed: [], messages: [], tasks: [], expiredTasks: [], parts: [] }
    expect(await renewLeases(db, [held], until)).toEqual(new Set([id]))
    expect(await store.storeOutcome({ run: held, now, used, nextSequence: 2, ...nothing })).toBe(true)
    expect(await store.end({ ...held, ending: { state: 'completed', output: null } })).toBe(true)
  }
  /** The scan of each table by each prepared statement. */
  const explain = async (): Promise<{ statement: string; scan: Plan }[]> => {
    const { rows: prepared } = await sql<{ name: string; statement: string; parameters: number }>`
      select name, statement, cardinality(parameter_types) as parameters from pg_prepared_statements`.execute(db)
    const found = []
    for (const { name, statement, parameters } of prepared) {
      const values = sql.join(Array.from({ length: parameters }, () => sql`null`))
      const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
        explain (format json) execute ${sql.id(name)} (${values})`.execute(db)
      const plan = rows[0]?.['QUERY PLAN'][0].Plan
      for (const scan of plan ? listScans(plan) : []) found.push({ statement, scan })
    }
    return found
  }
  return { work, explain, close }
}

/** Tables that have many rows for each organization. */
const large = ['runs', 'run_operations', 'run_messages', 'run_parts']

const fill = () =>
  app.database.pool.query(
    `with made as (
       insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at,
         completed_at)
       select $1, 'run_' || n, 'agent', 1, 'project', 'completed', '"Go."', '{}', now(), now()
       from generate_series(1, $2::integer) as n returning id),
     operations as (
       insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, agent_id, project_id,
         created_at)
       select $1, id, 'opr_1', 1, 1, 'llm_call', 'chat', 'succeeded', 'agent', 'project', now() from made),
     messages as (
       insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
       select $1, id, 'msg_1', 1, 'user', '[]', '', now() from made)
     insert into run_parts (organization_id, run_id, number, part) select $1, id, 1, '{}' from made`,
    [organizationId, rows],
  )

test('RUN plans from before the first run are replaced, and find the rows of runs by their keys among many', async () => {
  const empty = await openWithRun('run_before')
  try {
    await app.database.pool.query('vacuum analyze runs, run_operations, run_messages, run_parts')
    await empty.work()
    for (const { scan, statement } of await empty.explain())
      expect(scan['Node Type'], `${scan['Relation Name']}: ${statement.slice(0, 300)}`).toMatch(/Index|ModifyTable/)
    // The rows have no statistics at first: PostgreSQL makes them within a minute.
    await fill()
    const scans = (await empty.explain()).filter(({ scan }) => large.includes(scan['Relation Name'] ?? ''))
    expect(scans.length).toBeGreaterThan(20)
    for (const { statement, scan } of scans.filter(({ scan }) => scan['Node Type'] !== 'ModifyTable')) {
      expect(scan['Node Type'], statement).toMatch(/Index/)
      // An index of runs that others started has no rows here, and may be read whole where that is known.
      if (scan['Index Name'] !== 'runs_by_parent') expect(scan['Index Cond'], statement).toMatch(/ AND /)
    }
  } finally {
    await empty.close()
  }
})
