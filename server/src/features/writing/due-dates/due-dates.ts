import { setTimeout as delay } from 'node:timers/promises'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type DueReminder, markEmitted, type Reminder, selectDue, selectDueBrains } from '../../brain/dates/dates.ts'
import type { CommitEngine } from '../commit/commit.ts'

/** Most reminders of one commit batch: what bounds how long a write waits for them. */
const atOnce = 500

/** Brains that are served at the same time. */
const lanes = 4

/** Between two turns at one Brain, so that writers on other nodes get its lock in between. */
const giveWayMilliseconds = 5

type Deps = { db: Db; clock: Clock; log: Log; commitEngine: CommitEngine }

const reachedEvent = ({ recordId, kind, field, offset, dueAt }: DueReminder): NewEvent => ({
  type: 'date.reached',
  data: { record: { id: recordId, kind }, field, offset, dueAt },
})

/** Tells of some reminders that are due. Answers the last where there may be more. */
const emitSome = async (
  { commitEngine }: Deps,
  brainId: number,
  { now, after }: { now: Date; after: Reminder | undefined },
): Promise<Reminder | undefined> => {
  let due: DueReminder[] = []
  await commitEngine.submit(brainId, {
    claim: undefined,
    // Read under the Brain's lock, so no other node tells of the same, and no write takes one back meanwhile.
    prepare: async (tx) => {
      due = await selectDue(tx, brainId, { now, after, limit: atOnce })
      return {
        operations: [],
        run: (batch) => {
          if (due.length > 0) batch.write(markEmitted(now, due))
          batch.emit(...due.map(reachedEvent))
          return { outcome: 'done', data: '' }
        },
      }
    },
  })
  return due.length < atOnce ? undefined : due.at(-1)
}

/**
 * Tells of the dates that were reached, each once (DAT-03). Any number of nodes may run it, and after a time without any it
 * catches up. It takes turns with the writes of each Brain, some hundreds of events at a time; Brains take turns too.
 */
export const emitDueDates = async (deps: Deps, stopping?: AbortSignal): Promise<void> => {
  const now = deps.clock.now()
  const waiting: { brainId: number; after: Reminder | undefined }[] = (await selectDueBrains(deps.db, now)).map(
    (brainId) => ({ brainId, after: undefined }),
  )
  const serve = async (): Promise<void> => {
    for (let next = waiting.shift(); next && !stopping?.aborted; next = waiting.shift()) {
      const { brainId, after } = next
      try {
        const last = await emitSome(deps, brainId, { now, after })
        if (!last) continue
        waiting.push({ brainId, after: last })
        await delay(giveWayMilliseconds)
      } catch (error) {
        // A Brain that was deleted just now has nothing to tell; of any other, the next run takes care.
        if (error instanceof ApiError && error.kind === 'not_found') continue
        deps.log.warn({ brainId, err: error }, 'dates of a Brain could not be told of and wait for the next minute')
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, serve))
}
