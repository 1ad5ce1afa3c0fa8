import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { operationData, taskData } from './event-queries.ts'
import type { RunKey } from './types.ts'

/** Locks the row of a run; answers whether it is one without an agent. */
export const lockRun = async (tx: Tx, { organizationId, id }: RunKey): Promise<{ isFlow: boolean }> => {
  const { rows } = await sql<{ isFlow: boolean }>`select flow is not null as "isFlow" from runs
    where organization_id = ${organizationId} and id = ${id} for update`.execute(tx)
  return rows[0] ?? { isFlow: false }
}

/** Ends the operation that asked for an answer, and reports both; true if a webhook receives them. */
export const closeAnswered = async (
  tx: Tx,
  { organizationId, id, operationId, answer }: RunKey & { operationId: string; answer: string },
  now: Date,
): Promise<boolean> => {
  const { rows } = await sql`
    with held as (select * from runs where organization_id = ${organizationId} and id = ${id}),
    closed as (
      update run_operations set status = 'succeeded', output = ${JSON.stringify({ answer })}::json, completed_at = ${now},
        latency_milliseconds = greatest(0, extract(epoch from ${now} - created_at) * 1000)
      where organization_id = ${organizationId} and run_id = ${id} and id = ${operationId} and status = 'running'
      returning *),
    reported as (${addManyToOutbox(sql`
      select held.organization_id, 'operation.succeeded' as event, ${now}::timestamptz as at, held.agent_id,
        held.brain_handle as brain, ${operationData} as data from closed as op cross join held
      union all
      select held.organization_id, 'task.completed', ${now}::timestamptz, held.agent_id, held.brain_handle, ${taskData}
      from run_tasks as task cross join held
      where task.organization_id = ${organizationId} and task.operation_id = ${operationId} and task.run_id = ${id}`)}
      returning 1)
    select from reported`.execute(tx)
  return rows.length > 0
}
