import { setTimeout as delay } from 'node:timers/promises'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import {
  brainsWithDueReminders,
  type DueReminder,
  markEmitted,
  selectDue,
  selectDueBrains,
} from '../../knowledge/dates/reminder-queries.ts'
import type { Reminder } from '../../knowledge/dates/reminders.ts'
import type { Commits } from '../commit/commit-engine.ts'

/** Most reminders of one commit batch: what bounds how long a write waits for them. */
const atOnce = 500

/** Batches of one turn, after which other Brains have theirs. */
const maxBatches = 20

/** Between two batches of one Brain, so that writers on other nodes get its lock in between. */
const giveWayMilliseconds = 5

type Deps = { db: Db; clock: Clock; commitEngine: Commits; isDivided: boolean }

const reachedEvent = ({ recordId, kind, field, offset, dueAt }: DueReminder): NewEvent => ({
  type: 'date.reached',
  data: { record: { id: recordId, kind }, field, offset, dueAt },
})

/** Tells of some reminders that are due. Answers the last where there may be more. */
const emitSome = async (
  { commitEngine, isDivided }: Deps,
  brainId: number,
  { now, after }: { now: Date; after: Reminder | undefined },
): Promise<Reminder | undefined> => {
  let due: DueReminder[] = []
  await commitEngine.submit(brainId, {
    claim: undefined,
    caps: undefined,
    // Read under the Brain's lock, so no other node tells of the same, and no write takes one back meanwhile.
    prepare: async (tx) => {
      due = await selectDue(tx, brainId, { now, after, limit: atOnce })
      return {
        operations: [],
        run: (batch) => {
          if (due.length > 0) batch.write(markEmitted({ brainId, isDivided, now }, due))
          batch.emit(...due.map(reachedEvent))
          return { outcome: 'done', data: '' }
        },
      }
    },
  })
  return due.length < atOnce ? undefined : due.at(-1)
}

/** Tells of a Brain's dates that were reached, some hundreds of events at a time, in turns with its writes. */
const emitDue = async (deps: Deps, brainId: number, { stopping, renew }: BrainTurn): Promise<BrainTurnEnd> => {
  const now = deps.clock.now()
  let after: Reminder | undefined
  for (let batch = 0; batch < maxBatches; batch++) {
    after = await emitSome(deps, brainId, { now, after })
    if (!after) return 'done'
    if (stopping.aborted || !(await renew())) return 'unfinished'
    await delay(giveWayMilliseconds)
  }
  return 'unfinished'
}

/** Tells of the dates that were reached, each once (DAT-03); after a time without any node it catches up. */
export const createReminding = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'emit reached dates',
    ...{ work: 'remind', maxTurns: 4, leaseSeconds: 15, everySeconds: 60 },
    behind: brainsWithDueReminders,
    dueKeys: selectDueBrains,
    run: (brainId, turn) => emitDue(deps, brainId, turn),
  })
