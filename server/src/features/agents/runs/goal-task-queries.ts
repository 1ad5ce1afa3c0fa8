import { sql } from 'kysely'
import { newId } from '../../../shared/ids.ts'
import type { Tx } from '../../../storage/database.ts'
import { addManyToOutbox } from '../../platform/outbox/outbox.ts'
import { taskData } from './event-queries.ts'

// Tasks of goals: they belong to the run of the last attempt, which has ended, and in place of an operation they name their goal.

type Asked = { organizationId: string; goalId: string; runId: string; agentId: string; question: string }

const report = (event: string, now: Date) =>
  addManyToOutbox(sql`
    select held.organization_id, ${event}::text as event, ${now}::timestamptz as at, held.agent_id, held.brain_handle as brain,
      ${taskData} as data
    from task join runs as held on held.organization_id = task.organization_id and held.id = task.run_id`)

/** Asks a person how a goal goes on. Answers the id of the task. */
export const askForGoal = async (tx: Tx, { question, ...asked }: Asked, now: Date): Promise<string> => {
  const id = newId('tsk', now)
  await sql`
    with task as (
      insert into run_tasks (organization_id, id, run_id, agent_id, operation_id, state, question, created_at)
      values (${asked.organizationId}, ${id}, ${asked.runId}, ${asked.agentId}, ${asked.goalId}, 'open', ${question}, ${now})
      returning *)
    ${report('task.created', now)}`.execute(tx)
  return id
}

/** Ends the open task of a goal that goes on, or ended, without an answer. */
export const expireTaskOfGoal = (
  tx: Tx,
  { organizationId, taskId, goalId }: { organizationId: string; taskId: string; goalId: string },
  now: Date,
) =>
  sql`
    with task as (
      update run_tasks set state = 'expired', completed_at = ${now}
      where organization_id = ${organizationId} and id = ${taskId} and operation_id = ${goalId} and state = 'open' returning *)
    ${report('task.expired', now)}`.execute(tx)
