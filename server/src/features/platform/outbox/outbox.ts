import type { RawBuilder } from 'kysely'
import type { Clock } from '../../../shared/clock.ts'
import type { LeasedWork } from '../../../shared/concurrency/leased-work.ts'
import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import {
  insertRequestedEvent,
  insertRequestedEvents,
  type LeasedEvents,
  leaseEvents,
  type OutboxEvent,
  postponeEvents,
  type StoredEvent,
  takeEvents,
} from './outbox-queries.ts'

// The outbox of events for organizations. An operation adds its event in its own transaction, so the event is sent if that
// commits, and only then. An event that no webhook subscribes to is not added at all.

/** Adds an event, as a statement of the transaction that causes it. Publish the organization's topic after that. */
export const addToOutbox = (event: OutboxEvent): RawBuilder<unknown> => insertRequestedEvent(event)

/** Adds many events, which a select returns: organization_id, event, at, agent_id, brain, data. */
export const addManyToOutbox = (events: RawBuilder<unknown>): RawBuilder<unknown> => insertRequestedEvents(events)

const maxEvents = 100
const maxExpanding = 4
const minRetryMilliseconds = 1_000
const maxRetryMilliseconds = 3_600_000

/** The deliveries of an event; undefined if expanding it failed, because of the event or an outage of the database. */
type Expanded<Result> = { event: StoredEvent; result: Result | undefined; wasOutage?: boolean }

type Expansion<Result> = {
  name: string
  /** Expands an event. One that throws is retried later and delays no other. */
  expand(event: StoredEvent): Promise<Result>
  /** Stores the results, in the transaction that removes the events from the outbox. */
  store(tx: Tx, results: readonly Result[]): Promise<void>
  /** Called after that transaction. */
  stored(results: readonly Result[]): void
}

/** The outbox as leased work: a job expands many events of one organization. */
export const createOutboxWork = <Result>(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  { name, expand, store, stored }: Expansion<Result>,
): LeasedWork<LeasedEvents, readonly Expanded<Result>[]> => {
  const expanding = createSemaphore(maxExpanding)

  const expandOne = async (event: StoredEvent): Promise<Expanded<Result>> => {
    try {
      return { event, result: await expanding.run(() => expand(event)) }
    } catch (error) {
      log.warn(
        { event: event.id, attempts: event.attempts + 1, err: error },
        'an event of the outbox could not be expanded yet',
      )
      return { event, result: undefined, wasOutage: isDatabaseUnavailable(error) }
    }
  }

  /** An outage is not the fault of an event, so the event is retried soon after it, however often that happens. */
  const toRetry = ({ event: { attempts }, wasOutage }: Expanded<Result>) => {
    const wait = wasOutage ? minRetryMilliseconds : Math.min(maxRetryMilliseconds, minRetryMilliseconds * 2 ** attempts)
    return { dueAt: new Date(clock.now().getTime() + wait), attempts: attempts + (wasOutage ? 0 : 1) }
  }

  return {
    name,
    maxTurns: 20,
    // Longer than the statements of a job may take.
    leaseSeconds: 60,
    maxKeys: 20,
    topic: 'organization:',
    lease: (request) => leaseEvents(db, request, maxEvents),
    run: async ({ events }, turn) => {
      await turn.storeOutcome(await Promise.all(events.map(expandOne)))
      return events.length === maxEvents
    },
    storeOutcomes: async (settlements) => {
      const all = settlements.flatMap(({ row: { lease }, outcome }) => outcome.map((one) => ({ ...one, lease })))
      const made = all.flatMap(({ event, lease, result }) =>
        result === undefined ? [] : { id: event.id, lease, result },
      )
      const failed = all.flatMap(({ lease, ...one }) =>
        one.result === undefined ? { id: one.event.id, lease, ...toRetry(one) } : [],
      )
      const results = await db.transaction().execute(async (tx) => {
        const taken = await takeEvents(tx, made)
        const ours = made.flatMap(({ id, result }) => (taken.has(id) ? result : []))
        await store(tx, ours)
        if (failed.length > 0) await postponeEvents(tx, failed)
        return ours
      })
      stored(results)
      return settlements.map(() => true)
    },
    dueKeys: (page) => selectDueKeys({ table: 'outbox', key: 'organization_id' }, page),
  }
}
