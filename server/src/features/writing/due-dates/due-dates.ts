import { setTimeout as delay } from 'node:timers/promises'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import type { Clock } from '../../../shared/clock.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import type { Crossing } from '../../brain/dates/reminders.ts'
import { type DueCrossing, markEmitted, selectDue, selectDueBrains } from '../../brain/dates/queries.ts'

/** Most crossings of one turn at the write door: what bounds how long a write waits for them. */
const atOnce = 500

/** Brains that are served at the same time. */
const lanes = 4

/** Between two turns at one Brain, so that writers on other nodes get its lock in between. */
const giveWayMilliseconds = 5

/** What a turn at the write door lends: events to be placed, and statements to land with them. */
type Turn = { emit(...events: readonly NewEvent[]): void; write(...statements: readonly RawBuilder<unknown>[]): void }
type Prepared = { operations: []; run: (turn: Turn) => { status: number; data: string } }

/** The write door, as far as this needs it: the door itself knows dates, so it cannot be imported here. */
type Door = {
  submit(
    brainId: number,
    late: { claim: undefined; prepare: (tx: Tx, brain: { brainId: number }) => Promise<Prepared> },
  ): Promise<unknown>
}

type Deps = { db: Db; clock: Clock; log: Log; writeDoor: Door }

const reachedEvent = ({ recordId, kind, field, offset, dueAt }: DueCrossing): NewEvent => ({
  type: 'date.reached',
  data: { record: { id: recordId, kind }, field, offset, dueAt },
})

/** Tells of some crossings that are due. Answers the last where there may be more. */
const emitSome = async (
  { writeDoor }: Deps,
  brainId: number,
  { now, after }: { now: Date; after: Crossing | undefined },
): Promise<Crossing | undefined> => {
  let due: DueCrossing[] = []
  await writeDoor.submit(brainId, {
    claim: undefined,
    // Read under the Brain's lock, so no other node tells of the same, and no write takes one back meanwhile.
    prepare: async (tx) => {
      due = await selectDue(tx, brainId, { now, after, limit: atOnce })
      return {
        operations: [],
        run: (turn) => {
          if (due.length > 0) turn.write(markEmitted(now, due))
          turn.emit(...due.map(reachedEvent))
          return { status: 200, data: '' }
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
  const waiting: { brainId: number; after: Crossing | undefined }[] = (await selectDueBrains(deps.db, now)).map(
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
