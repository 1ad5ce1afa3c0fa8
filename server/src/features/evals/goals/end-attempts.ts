import type { Db } from '../../../storage/database.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { selectClaim } from '../../agents/runs/start-queries.ts'
import { selectGoal, selectOpenRuns } from './goal-queries.ts'
import type { GoalKey } from './types.ts'

// The runs of a goal that is abandoned end with it, also one that was started when its node died before it stored the attempt.

type Deps = { db: Db; keyedDb: Db; runs: Pick<RunStore, 'end'> }

/** The idempotency key of the run of an attempt. */
export const toAttemptKey = (number: number): string => `attempt ${number}`

/** The run that was started for an attempt, if there is one. */
export const findStartedRun = async (
  { keyedDb }: Pick<Deps, 'keyedDb'>,
  { organizationId, id }: GoalKey,
  number: number,
): Promise<string | undefined> =>
  (await selectClaim(keyedDb, organizationId, { sender: `goal ${id}`, key: toAttemptKey(number) }))?.runId

const ending = { state: 'abandoned', reason: 'The goal was abandoned.' } as const

/** Ends the runs that the last attempt of a goal waits for, and the run of the next one. */
export const endAttempts = async (deps: Deps, key: GoalKey, attempts: number): Promise<void> => {
  const next = await findStartedRun(deps, key, attempts + 1)
  const ids = [...(await selectOpenRuns(deps.db, key)), ...(next === undefined ? [] : [next])]
  await Promise.all(ids.map((id) => deps.runs.end({ organizationId: key.organizationId, id, ending })))
}

/** Ends the run of an attempt that could not be stored, if its goal was abandoned meanwhile. */
export const endIfAbandoned = async (
  { db, runs }: Omit<Deps, 'keyedDb'>,
  key: GoalKey,
  runId: string,
): Promise<void> => {
  const { organizationId } = key
  if ((await selectGoal(db, key))?.state === 'abandoned') await runs.end({ organizationId, id: runId, ending })
}
