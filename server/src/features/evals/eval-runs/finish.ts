import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { type Comparison, compare, completeEvalRun, selectScore, summarize } from './finish-queries.ts'
import type { LeasedEvalRun } from './types.ts'

/** Completes a run: counts its results and compares them with those of its baseline, in one transaction under its lease. */
export const finishEvalRun = (
  { db, clock }: { db: Db; clock: Clock },
  { organization, id, lease, baselineId }: LeasedEvalRun,
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const key = { organizationId: organization, id }
    const summary = await summarize(tx, key)
    const former = baselineId === null ? null : await selectScore(tx, { organizationId: organization, id: baselineId })
    const baseline: Comparison | null =
      baselineId === null || former === null
        ? null
        : { ...(await compare(tx, key, baselineId)), delta: summary.score - former }
    return completeEvalRun(tx, { ...key, lease }, { summary, baseline, now: clock.now() })
  })
