import type { Queryable } from '../../../storage/database.ts'
import { addToOutbox } from '../../platform/outbox/outbox.ts'

/** Adds the event of a goal that was met, or does not go on by itself. It carries addresses and the state, never contents. */
export const reportGoal = (
  tx: Queryable,
  goal: { organizationId: string; id: string; agentId: string; runId: string },
  state: 'met' | 'blocked' | 'exhausted',
  at: Date,
) => {
  const { organizationId, id: goalId, agentId, runId } = goal
  const data = { goalId, agentId, runId, state }
  return addToOutbox({ organizationId, event: `goal.${state}`, at, scope: { agentId }, data }).execute(tx)
}
