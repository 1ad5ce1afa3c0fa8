import type { Db } from '../../../storage/database.ts'
import { endClaimed } from '../../agents/runs/end-claimed.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { selectClaim } from '../../agents/runs/start-queries.ts'
import { selectGoal } from './goal-queries.ts'
import type { GoalKey } from './types.ts'

// The runs of a goal that is abandoned end with it, also those that a node began and could not store.

type Deps = { db: Db; keyedDb: Db; runs: Pick<RunStore, 'end'> }

/** The sender of the idempotency keys of the runs of a goal and of its judges. */
export const toSender = (id: string): string => `goal ${id}`

/** The idempotency key of the run of an attempt. */
export const toAttemptKey = (number: number): string => `attempt ${number}`

/** The run that was started for an attempt, if there is one. */
export const findStartedRun = async (
  { keyedDb }: Pick<Deps, 'keyedDb'>,
  { organizationId, id }: GoalKey,
  number: number,
): Promise<string | undefined> =>
  (await selectClaim(keyedDb, organizationId, { sender: toSender(id), key: toAttemptKey(number) }))?.runId

const ending = { state: 'abandoned', reason: 'The goal was abandoned.' } as const

/** Ends the runs of a goal that was abandoned, and those of its judges. */
export const endAttempts = (deps: Deps, { organizationId, id }: GoalKey): Promise<void> =>
  endClaimed(deps, { organizationId, sender: toSender(id) }, ending)

/** Ends what a node began for a goal and could not store, if the goal was abandoned meanwhile. */
export const endIfAbandoned = async (deps: Deps, key: GoalKey): Promise<void> => {
  if ((await selectGoal(deps.db, key))?.state === 'abandoned') await endAttempts(deps, key)
}
