import type { Clock } from '../../../shared/clock.ts'
import { createBatcher } from '../../../shared/concurrency/batcher.ts'
import { goalsTopic, type Topics } from '../../../shared/concurrency/topics.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import type { RunStore } from '../../agents/runs/run-store.ts'
import { wakeWaiting } from './goal-queries.ts'
import type { GoalKey } from './types.ts'

// A goal looks at its run ever more rarely. This wakes it when the node has ended that run; where the node dies before, or another one works on the
// goal at that moment, the goal looks by itself within a minute.

type Deps = { db: Db; clock: Clock; topics: Pick<Topics, 'publish'>; log: Log; runs: Pick<RunStore, 'listen'> }

const maxBatch = 200

/** Makes goals due when a run of theirs ends. Runs of no goal cost nothing. */
export const openGoalWaking = ({ db, clock, topics, log, runs }: Deps) => {
  const waking = createBatcher<GoalKey, void>({
    ...{ maxItems: maxBatch, maxBatches: 1, isSplitAfter: () => false },
    run: async (goals) => {
      for (const organizationId of await wakeWaiting(db, goals, clock.now())) topics.publish(goalsTopic(organizationId))
      return goals.map(() => undefined)
    },
  })
  runs.listen(({ organizationId, goalId }) => {
    if (goalId === undefined) return
    waking.add({ organizationId, id: goalId }).catch((error) => log.warn({ err: error }, 'goals were not woken'))
  })
  return { idle: () => waking.idle() }
}
