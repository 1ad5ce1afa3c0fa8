import { randomBytes } from 'node:crypto'
import type { OpenDatabase } from '../../server/src/storage/database.ts'

// The rows of one run of the built-in model, written by bare SQL in as many transactions as a durable run needs at least: the
// run, its lease with the first operation, the question to the Brain, its answer with the next operation, and the end.

const newId = (prefix: string): string => `${prefix}_01kaa00000${randomBytes(8).toString('hex')}`

const insertRun = `insert into runs (organization_id, id, agent_id, agent_version, project_id, state, input, started_by, created_at, due_at)
  values ($1, $2, 'agt_1', 1, 'prj_1', 'queued', $3, '{}', now(), now())`
const lease = `with leased as (update runs set lease = $3, state = 'running', started_at = now(), due_at = now() + interval '10 seconds'
    where organization_id = $1 and id = $2 returning id),
  message as (insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
    select $1, id, $4, 1, 'user', $5, '', now() from leased)
  insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, agent_id, project_id, created_at)
    select $1, id, $6, 1, 1, 'llm_call', 'model', 'running', 'agt_1', 'prj_1', now() from leased`
const settle = `with held as (update runs set due_at = now() + interval '10 seconds', state = $9, completed_at = $10, lease = $11
    where organization_id = $1 and id = $2 and lease = $3 returning id),
  ended as (update run_operations set status = 'succeeded', output = $5, completed_at = now()
    from held where organization_id = $1 and run_id = $2 and run_operations.id = $4 returning 1),
  message as (insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
    select $1, held.id, $6, $7, 'assistant', $5, '', now() from held),
  part as (insert into run_parts (organization_id, run_id, number, operation_id, part)
    select $1, held.id, number, $4, '{"type":"text-delta","id":"1","delta":"…"}'
    from held, generate_series($7 * 10, $7 * 10 + 3) as number)
  insert into run_operations (organization_id, run_id, id, sequence, step, type, name, status, agent_id, project_id, created_at)
    select $1, held.id, $8, $7, 1, 'tool_call', 'knowledge_context', 'running', 'agt_1', 'prj_1', now()
    from held where $8::text is not null`

const input = JSON.stringify([{ type: 'text', text: 'Who wrote the first program?' }])
const output = JSON.stringify([{ type: 'text', text: 'Ada Lovelace wrote the first program. '.repeat(8) }])

/** Writes the rows of one run, from its start to its end. */
export const writeRun = async (pool: OpenDatabase['pool'], organizationId: string): Promise<void> => {
  const [run, held] = [newId('run'), newId('lse')]
  const operations = [newId('opr'), newId('opr'), newId('opr')]
  const query = (name: string, text: string, values: unknown[]) => pool.query({ name, text, values })
  await query('insert run', insertRun, [organizationId, run, input])
  await query('lease', lease, [organizationId, run, held, newId('msg'), input, operations[0]])
  for (const [index, operation] of operations.entries()) {
    const next = operations[index + 1] ?? null
    const end = next === null ? ['completed', new Date(), null] : ['running', null, held]
    const values = [organizationId, run, held, operation, output, newId('msg'), index + 2, next, ...end]
    await query('settle', settle, values)
  }
}
