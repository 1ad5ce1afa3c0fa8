import type { KyselyPlugin } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../shared/ids.ts'
import { useAgents } from '../agents/use-agents.fixture.ts'
import { answerTask } from './answer-task.ts'
import type { Settlement } from './outcome-queries.ts'
import { openRunStore } from './run-store.ts'
import type { Ending } from './types.ts'

// No node works on these runs: what races for their ends is called by the test.
const agents = useAgents({ NOEMA_ROLES: 'http' })
const pairs = 1_000
const atOnce = 50

let agentId: string
beforeAll(async () => {
  agentId = (await agents.createAgent()).id
  const events = [
    'run.completed',
    'run.failed',
    'run.abandoned',
    'task.completed',
    'task.expired',
    'operation.abandoned',
  ]
  await agents.call('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', events: [...events, 'operation.succeeded'] })
})

const query = (text: string, values: unknown[] = []) => agents.app.database.pool.query(text, values)

/** Runs that a node works on, or that wait; each with a question that is open. */
const insertRuns = async (ids: readonly string[]) => {
  const organizationId = agents.scene.member.organizationId
  await query(
    `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at, lease,
       due_at, active_since, next_sequence, steps)
     select $1, id, $2, 1, 'project', case when place % 2 = 0 then 'running' else 'waiting' end, '"Go."',
       '{"type":"system","id":"test"}', now(), case when place % 2 = 0 then 'lease' end,
       case when place % 2 = 0 then now() + interval '1 hour' end, now(), 2, 1
     from unnest($3::text[]) with ordinality as given (id, place)`,
    [organizationId, agentId, ids],
  )
  await query(
    `insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, task_id, agent_id,
       project_id, created_at)
     select $1, id, 'opr-' || id, 1, 1, 'tool_call', 'ask_human', 'running', 'tsk-' || id, $2, 'project', now()
     from unnest($3::text[]) as id`,
    [organizationId, agentId, ids],
  )
  await query(
    `insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, created_at)
     select $1, 'tsk-' || id, id, $2, 'opr-' || id, 'open', 'Well?', now() from unnest($3::text[]) as id`,
    [organizationId, agentId, ids],
  )
}

const toSettlement = (organizationId: string, id: string): Settlement => ({
  run: { organizationId, id, lease: 'lease' },
  now: new Date(),
  used: { inputTokens: 1, outputTokens: 1, costNanodollars: 1, isCostKnown: true, steps: 0 },
  ...{ nextSequence: 3, begun: [], changed: [], expiredTasks: [] },
  tasks: [{ id: newId('tsk'), operationId: `opr-${id}`, question: 'And?', options: null, expiresAt: null }],
  messages: [
    {
      ...{ id: newId('msg'), position: 9, role: 'assistant', text: 'Late.', operationId: `opr-${id}` },
      ...{ parts: [{ type: 'text', text: 'Late.' }], createdAt: new Date().toISOString() },
    },
  ],
  parts: [{ operationId: null, part: '{"type":"text-start","id":"late"}' }],
})

/** Acts that may meet at a run, each as the service does it. */
const rivals = () => {
  const { deps } = agents.app.app
  const { organizationId } = agents.scene.member
  const end = (ending: Ending, lease?: string) => (id: string) =>
    deps.runs.end({ organizationId, id, ending, ...(lease === undefined ? {} : { lease }) })
  return [
    end({ state: 'abandoned', reason: 'Cancelled.' }),
    end({ state: 'failed', category: 'timeout', reason: 'Too late.' }, 'lease'),
    (id: string) =>
      deps.runs.end({
        ...{ organizationId, id, lease: 'lease', ending: { state: 'completed', output: null } },
        settlement: toSettlement(organizationId, id),
      }),
    (id: string) => deps.runs.storeOutcome(toSettlement(organizationId, id)),
    (id: string) =>
      answerTask(deps, {
        ...{ organizationId, id: `tsk-${id}`, runId: id, answer: 'Yes.', answeredBy: { type: 'system', id: 'test' } },
      }).catch(() => false),
    end({ state: 'abandoned', reason: 'Archived.' }),
  ]
}

test('RUN-04 a run ends once under every race, one event reports it, and nothing is stored after it', async () => {
  const all = rivals()
  for (let from = 0; from < pairs; from += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, index) => `race-${from + index}`)
    await insertRuns(ids)
    await Promise.all(
      ids.flatMap((id, index) => {
        const place = from + index
        const [first, shift] = [place % all.length, 1 + (Math.floor(place / all.length) % (all.length - 1))]
        return [all[first]?.(id), all[(first + shift) % all.length]?.(id)]
      }),
    )
  }
  const { rows } = await query(`
    select run.id, run.state, run.completed_at is not null as ended, run.lease, run.due_at,
      (select count(*)::int from run_operations as op where op.organization_id = run.organization_id and op.run_id = run.id and op.status = 'running') as open,
      (select count(*)::int from run_tasks as task where task.organization_id = run.organization_id and task.run_id = run.id and task.state = 'open') as asked,
      (select count(*)::int from run_tasks as task where task.organization_id = run.organization_id and task.run_id = run.id) as tasks,
      coalesce(reported.runs, 0) as reported, coalesce(reported.tasks, 0) as reported_task,
      coalesce(reported.operations, 0) as reported_operation,
      (select count(*)::int from run_parts as part where part.organization_id = run.organization_id and part.run_id = run.id
        and part.part::json->>'type' in ('finish', 'error', 'abort')) as last,
      (select part.part::json->>'type' from run_parts as part where part.organization_id = run.organization_id and part.run_id = run.id
        order by number desc limit 1) as final,
      (select count(*)::int from run_messages as message where message.organization_id = run.organization_id and message.run_id = run.id) as messages, run.input_tokens::int
    from runs as run
      left join (select data->>'runId' as run_id,
          count(*) filter (where event like 'run.%')::int as runs,
          count(*) filter (where event like 'task.%')::int as tasks,
          count(*) filter (where event like 'operation.%')::int as operations
        from outbox group by 1) as reported on reported.run_id = run.id
    where run.id like 'race-%'`)
  expect(rows).toHaveLength(pairs)
  const ended = rows.filter((row) => row.ended)
  expect(ended.length).toBeGreaterThan(pairs / 2)
  for (const row of ended) {
    const final = { completed: 'finish', failed: 'error', abandoned: 'abort' }[row.state as string]
    expect(row, row.id).toMatchObject({ lease: null, due_at: null, open: 0, asked: 0, reported: 1, last: 1, final })
    expect([row.reported_task, row.reported_operation], row.id).toEqual([row.tasks, 1])
    expect([row.messages, row.tasks - 1], row.id).toEqual([row.input_tokens, row.input_tokens])
  }
  for (const row of rows.filter((one) => !one.ended)) expect(row, row.id).toMatchObject({ reported: 0, last: 0 })
})

test('RUN-04 outcomes are stored once even if the answer of the database was lost', async () => {
  const { organizationId } = agents.scene.member
  const ids = ['unheard-1', 'held-1', 'unheard-2', 'held-2']
  await insertRuns(ids)
  const unheard: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: () => Promise.reject(new Error('Connection terminated unexpectedly')),
  }
  const { deps } = agents.app.app
  const store = openRunStore({ ...deps, db: deps.db.withPlugin(unheard) })
  const storeOutcome = (id: string) =>
    store.storeOutcome({ ...toSettlement(organizationId, id), messages: [], tasks: [] })
  const outcomes = await Promise.allSettled([storeOutcome('held-1'), storeOutcome('held-2')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const { rows } = await query(`
    select id, input_tokens::int as used, (select count(*)::int from run_parts as part
      where part.organization_id = run.organization_id and part.run_id = run.id) as parts
    from runs as run where id like 'held-%' order by id`)
  expect(rows).toEqual(['held-1', 'held-2'].map((id) => ({ id, used: 1, parts: 1 })))
})

test('RUN-04 the winner of two simultaneous ends of a run learns that it won, whichever came first', async () => {
  const { deps } = agents.app.app
  const { organizationId } = agents.scene.member
  const id = 'twice'
  await insertRuns(['other', id])
  const end = (reason: string, lease?: string) =>
    deps.runs.end({ organizationId, id, ending: { state: 'abandoned', reason }, ...(lease ? { lease } : {}) })
  // An end with a lost lease comes first, and has no effect.
  expect(await Promise.all([end('Late.', 'lost'), end('Cancelled.')])).toEqual([false, true])
  const { rows } = await query('select abandon_reason from runs where id = $1', [id])
  expect(rows).toEqual([{ abandon_reason: 'Cancelled.' }])
})

test('RUN-04 of two turns that store outcomes of one run at once, only the one with a valid lease does', async () => {
  const { deps } = agents.app.app
  const { organizationId } = agents.scene.member
  await insertRuns(['leased-again', 'other-again'])
  const settlement = toSettlement(organizationId, 'leased-again')
  const stale = { ...toSettlement(organizationId, 'leased-again'), run: { ...settlement.run, lease: 'before' } }
  await query(`update runs set lease = 'lease' where id = 'leased-again'`)
  expect(await Promise.all([deps.runs.storeOutcome(stale), deps.runs.storeOutcome(settlement)])).toEqual([false, true])
  const { rows } = await query(`
    select input_tokens::int as used, (select count(*)::int from run_parts where run_id = run.id) as parts,
      (select json_agg(id) from run_messages where run_id = run.id) as messages,
      (select count(*)::int from run_tasks where run_id = run.id) as tasks
    from runs as run where id = 'leased-again'`)
  expect(rows).toEqual([{ used: 1, parts: 1, messages: [settlement.messages[0]?.id], tasks: 2 }])
})
