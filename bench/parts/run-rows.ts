import { randomBytes, randomUUID } from 'node:crypto'
import type { OpenDatabase } from '../../server/src/storage/database.ts'

// The rows of one run of the built-in model, written by bare SQL in as many transactions as a durable run needs at least: the
// run, its lease with the first operation, the question to the Brain, its answer with the next operation, and the end. It
// looks nothing up: no key, no caps, no journal. It searches nothing, streams to nobody, tells nobody, and answers no request.

const newId = (prefix: string): string => `${prefix}_01kaa00000${randomBytes(8).toString('hex')}`

// The service looks for runs that are due, and must not take these.
const insertRun = `with made as (
    insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at, due_at)
    values ($1, $2, 'agt_1', 1, 'prj_1', 'queued', '"Who wrote the first program?"', '{}', now(), now() + interval '1 hour')
    returning organization_id, id),
  counted as (
    insert into run_days as day (organization_id, day, runs) select organization_id, current_date, 1 from made
    on conflict (organization_id, day) do update set runs = day.runs + 1),
  reached as (
    insert into run_brains (brain_id, organization_id, run_id, access) select $4, organization_id, id, 'read_only' from made)
  insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
    select organization_id, id, $3, 1, 'user', $5, 'Who wrote the first program?', now() from made`
const lease = `with leased as (update runs set lease = $3, state = 'running', started_at = now(), due_at = now() + interval '1 hour'
    where organization_id = $1 and id = $2 returning id),
  part as (insert into run_parts (organization_id, run_id, number, part)
    select $1, leased.id, number, '{"type":"start-step"}' from leased, generate_series(1, 2) as number)
  insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, agent_id, project_id, created_at)
    select $1, leased.id, op.id, op.sequence, 1, op.type, op.name, op.status, 'agt_1', 'prj_1', now()
    from leased, (values ($4, 1, 'system_action', 'run.started', 'succeeded'), ($5, 2, 'llm_call', 'chat', 'running'))
      as op (id, sequence, type, name, status)`
const settle = `with held as (update runs set due_at = case when $10::timestamptz is null then now() + interval '1 hour' end,
      state = $9, completed_at = $10, lease = $11 where organization_id = $1 and id = $2 and lease = $3 returning id),
  ended as (update run_operations set status = 'succeeded', output = $5, completed_at = now()
    from held where organization_id = $1 and run_id = $2 and run_operations.id = $4 returning 1),
  message as (insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
    select $1, held.id, $6, $7, 'assistant', $5, '', now() from held),
  part as (insert into run_parts (organization_id, run_id, number, operation_id, part)
    select $1, held.id, number, $4, $12 from held, generate_series($13, $14::integer) as number)
  insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, agent_id, project_id, created_at)
    select $1, held.id, $8, $7 + 1, 1, 'tool_call', 'knowledge_context', 'running', 'agt_1', 'prj_1', now()
    from held where $8::text is not null`
const insertReceipt = `insert into receipts (brain_id, id, at, state_version, operation, consumer_id, served)
  values ($1, $2, now(), 1, 'context', $3, '{"documents":[["fact-0",1]]}')`

const input = JSON.stringify([{ type: 'text', text: 'Who wrote the first program?' }])
const output = JSON.stringify([{ type: 'text', text: 'Ada Lovelace wrote the first program. '.repeat(8) }])
const part = JSON.stringify({
  type: 'text-delta',
  id: 'opr_1:1',
  delta: 'Ada Lovelace wrote the first program. '.repeat(2),
})
/** The numbers of the parts that each step streams. */
const streamed = [
  [3, 3],
  [4, 6],
  [7, 12],
]

/** Writes the rows of one run, from its start to its end. */
export const writeRun = async (
  pool: OpenDatabase['pool'],
  { organizationId, brainId }: { organizationId: string; brainId: number },
): Promise<void> => {
  const [run, held] = [newId('run'), newId('lse')]
  const operations = [newId('opr'), newId('opr'), newId('opr')]
  const query = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values })
  await query('insert run', insertRun, [organizationId, run, newId('msg'), brainId, input])
  await query('lease', lease, [organizationId, run, held, newId('opr'), operations[0]])
  for (const [index, operation] of operations.entries()) {
    const next = operations[index + 1] ?? null
    const end = next === null ? ['completed', new Date(), null] : ['running', null, held]
    if (index === 1) await query('receipt', insertReceipt, [brainId, randomUUID(), run])
    const row = [organizationId, run, held, operation, output, newId('msg'), index + 2, next]
    await query('settle', settle, [...row, ...end, part, ...(streamed[index] ?? [])])
  }
}
