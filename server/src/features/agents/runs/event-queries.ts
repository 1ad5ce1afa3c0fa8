import { sql } from 'kysely'

// The events of runs, tasks and operations carry addresses and states, never contents.

/** Of an operation `op`. */
export const operationData = sql`json_build_object('operationId', op.id, 'runId', held.id, 'agentId', held.agent_id,
  'type', op.type, 'name', op.name, 'status', op.status, 'attemptNumber', op.attempt)`

/** Of a task `task`. */
export const taskData = sql`json_build_object('taskId', task.id, 'runId', held.id, 'agentId', held.agent_id,
  'state', task.state, 'expiresAt',
  to_char(task.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`
