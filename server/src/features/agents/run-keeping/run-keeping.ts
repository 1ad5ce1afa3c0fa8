import type { Limits } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import type { RunStore } from '../runs/run-store.ts'
import { forgetToolSchemas } from '../tool-schemas/tool-schemas.ts'
import {
  deleteOldRuns,
  deleteReaches,
  eraseContents,
  eraseJournals,
  type RunKey,
  selectOpenRuns,
  selectRunsOfBrain,
  selectTouched,
  type TouchedRun,
} from './queries.ts'

// The retention of runs, and the part of them that deleting a Brain erases.

const dayMilliseconds = 86_400_000
const maxForgotten = 50

export type Retention = { db: Db; clock: Clock; limits: Pick<Limits, 'runs'> }

/** Runs that ended before this time are forgotten, and so is all that is kept as long as they are. */
const findEnd = ({ clock, limits }: Retention): Date =>
  new Date(clock.now().getTime() - limits.runs.days * dayMilliseconds)

/** Deletes what is kept as long as runs are, a few at a time, by a function that answers how many it deleted. */
export const forgetAfterDays = async (
  deps: Retention,
  limit: number,
  deleteOld: (db: Db, before: Date, limit: number) => Promise<number>,
): Promise<void> => {
  const before = findEnd(deps)
  while ((await deleteOld(deps.db, before, limit)) === limit);
}

/**
 * Deletes runs some days after their end: their journals, messages and streams, and their keys. The declarations of tools go with the
 * last run that may have called them.
 */
export const forgetRuns = async (deps: Retention): Promise<void> => {
  const before = findEnd(deps)
  await forgetAfterDays(deps, maxForgotten, deleteOldRuns)
  await forgetToolSchemas(deps.db, before)
}

/** The lease of the erasing worker, and its signal to stop. */
type ErasingTurn = { stopping: AbortSignal; renew(): Promise<boolean> }

const maxReaching = 100
const maxErased = 20

const goneReason = 'A Brain that this run could reach was deleted.'

const toChunks = (runs: readonly RunKey[]): RunKey[][] =>
  Array.from({ length: Math.ceil(runs.length / maxErased) }, (_, n) => runs.slice(n * maxErased, (n + 1) * maxErased))

/** Ends the runs of an organization that was deleted. False where the turn is over before all have ended. */
export const endRunsOfOrganization = async (
  { db, runs }: { db: Db; runs: Pick<RunStore, 'end'> },
  organizationId: string,
  turn: ErasingTurn,
): Promise<boolean> => {
  const ending = { state: 'abandoned', reason: 'The organization was deleted.' } as const
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    const open = await selectOpenRuns(db, organizationId, maxReaching)
    if (open.length === 0) return true
    await Promise.all(open.map((run) => runs.end({ ...run, ending })))
  }
}

/**
 * Ends runs that go on, and erases their journals and those of the runs that end with them, each in one transaction. Answers the
 * runs whose streams are left to erase; undefined where a run has ended by itself meanwhile.
 */
const endTouched = async (
  runs: Pick<RunStore, 'end'>,
  touched: readonly TouchedRun[],
): Promise<RunKey[] | undefined> => {
  const ended: RunKey[] = []
  const erase = (tx: Tx, family: readonly RunKey[]) => {
    ended.push(...family)
    return eraseJournals(tx, family)
  }
  const ending = { state: 'failed', category: 'tool', reason: goneReason } as const
  for (const { isOpen, ...run } of touched) if (isOpen && !(await runs.end({ ...run, ending, erase }))) return undefined
  return ended
}

/**
 * Erases the contents that runs hold of a deleted Brain. An open run fails, and the same transaction erases its journal and those
 * of the runs that it started: nothing is written of it later, and the following run reads nothing of it. False if the lease ends
 * before all is done. `eraseReports` erases earlier reports about runs.
 */
export const eraseRunsOfBrain = async (
  {
    db,
    runs,
    eraseReports,
  }: { db: Db; runs: Pick<RunStore, 'end'>; eraseReports(runs: readonly RunKey[]): Promise<unknown> },
  brainId: number,
  turn: ErasingTurn,
): Promise<boolean> => {
  for (;;) {
    if (turn.stopping.aborted || !(await turn.renew())) return false
    const reaching = await selectRunsOfBrain(db, brainId, maxReaching)
    if (reaching.length === 0) return true
    const touched = await selectTouched(db, reaching)
    const ended = await endTouched(runs, touched)
    // One that ended by itself has let others begin, to which content of it may have come.
    if (!ended) continue
    for (const chunk of toChunks([...touched, ...ended])) {
      if (turn.stopping.aborted || !(await turn.renew())) return false
      await eraseContents(db, chunk)
      await eraseReports(chunk)
    }
    await deleteReaches(db, brainId, reaching)
  }
}
