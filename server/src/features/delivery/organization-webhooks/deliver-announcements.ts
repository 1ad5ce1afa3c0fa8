import { retrySeconds } from '@noema/contracts/organization-webhooks.ts'
import type { Clock } from '../../../shared/clock.ts'
import { newId } from '../../../shared/ids.ts'
import type { Log } from '../../../shared/log.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { Seal } from '../../../shared/seal.ts'
import type { Db } from '../../../storage/database.ts'
import { type JobQueue, openJobQueue } from '../../../storage/jobs.ts'
import { type Announcement, selectAnnouncements, takeAnnouncement } from '../../platform/outbox/outbox.ts'
import { sendTo, toFailure } from '../endpoints/endpoints.ts'
import { correctionData } from './corrections.ts'
import {
  type Attempt,
  deleteSettled,
  hasPendingDeliveries,
  insertDeliveries,
  markQueued,
  secretContext,
  selectAttempt,
  selectListeners,
  settleAttempt,
} from './queries.ts'

// What was announced becomes a delivery for each webhook that wants it, and each attempt to deliver a job. An announcement
// turns into deliveries, a delivery into its first job, and a failed attempt into the next job, each in one transaction, so
// a node may stop anywhere: nothing is lost, and an attempt that nobody could write down is made again.

type Deps = { db: Db; clock: Clock; log: Log; outbound: Outbound; seal: Seal }

/** Attempts under way on one node; each waits for its receiver. */
const mostAttempts = 100
const atOnce = 200
const keptMilliseconds = 30 * 86_400_000

/** Makes deliveries of an announcement, for whoever wants it. What it says is put together outside of the transaction. */
const tell = async ({ db, clock }: Deps, announcement: Announcement & { id: number }): Promise<void> => {
  const { organizationId, event, scope, at, data } = announcement
  const listeners = await selectListeners(db, organizationId, event, scope)
  const isCorrection = event === 'knowledge.corrected' && listeners.length > 0
  const told = isCorrection ? await correctionData(db, data) : data
  const body = JSON.stringify({ event, timestamp: at.toISOString(), data: told })
  const now = clock.now()
  const deliveries = listeners.map(({ id: webhook }) => ({ id: newId('msg', now), webhook, event, body }))
  await db.transaction().execute(async (tx) => {
    const isOurs = await takeAnnouncement(tx, announcement.id)
    if (isOurs && deliveries.length > 0) await insertDeliveries(tx, deliveries, now)
  })
}

/** Tells the oldest announcements. One that fails holds up no other and is tried at the next turn. */
const tellAll = async (deps: Deps): Promise<void> => {
  for (const announcement of await selectAnnouncements(deps.db, atOnce))
    await tell(deps, announcement).catch((error) =>
      deps.log.warn({ announcement: announcement.id, err: error }, 'an announcement could not be told yet'),
    )
}

/** Makes the first jobs of deliveries. True while there are more. */
const queueFirstAttempts = ({ db }: Deps, queue: JobQueue<Attempt>): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const attempts = await markQueued(tx, atOnce)
    if (attempts.length > 0) await queue.add(tx, attempts)
    return attempts.length === atOnce
  })

/** Makes one attempt and writes down what it met, together with the next one where there is to be one. */
const attemptOnce = async (deps: Deps, queue: JobQueue<Attempt>, job: { id: string; data: Attempt }): Promise<void> => {
  const attempt = job.data
  const target = await selectAttempt(deps.db, attempt)
  const at = deps.clock.now()
  const endpoint = target && { ...target, context: secretContext(target.webhook) }
  const sent = endpoint && (await sendTo(deps, endpoint, at, { id: attempt.delivery, body: endpoint.body }))
  await deps.db.transaction().execute(async (tx) => {
    await queue.finish(tx, job.id)
    // It was begun anew, settled by another node, or its webhook is gone.
    if (!sent) return
    const { delivered, status, answer, milliseconds } = sent
    const wait = delivered ? undefined : retrySeconds[attempt.attempt - 1]
    const isOurs = await settleAttempt(tx, attempt, {
      state: delivered ? 'delivered' : wait === undefined ? 'failed' : 'pending',
      nextAttemptAt: wait === undefined ? null : new Date(deps.clock.now().getTime() + wait * 1000),
      lastAttempt: { at: at.toISOString(), status, error: delivered ? null : toFailure(sent), answer, milliseconds },
    })
    if (isOurs && wait !== undefined) await queue.add(tx, [{ ...attempt, attempt: attempt.attempt + 1 }], wait)
  })
}

/** Starts delivering. While nothing is announced and nothing pending, a turn is two look-ups in empty indexes. */
export const startAnnouncing = (deps: Deps) => {
  const queue = openJobQueue<Attempt>(deps, 'organization-webhooks', {
    // An attempt takes ten seconds at most. One whose node went away is made again.
    expireInSeconds: 60,
    retryLimit: 1_000,
    retryDelay: 5,
    deleteAfterSeconds: 3_600,
  })
  const underWay = new Set<Promise<void>>()
  const begin = (job: { id: string; data: Attempt }): void => {
    const attempt = attemptOnce(deps, queue, job)
      .catch(async (error) => {
        deps.log.warn({ delivery: job.data.delivery, err: error }, 'an attempt to deliver could not be settled')
        await queue.giveBack(job.id).catch(() => undefined)
      })
      .finally(() => underWay.delete(attempt))
    underWay.add(attempt)
  }
  return {
    run: async (): Promise<void> => {
      await tellAll(deps)
      if (!(await hasPendingDeliveries(deps.db))) return
      await queue.open()
      while (await queueFirstAttempts(deps, queue));
      const free = mostAttempts - underWay.size
      if (free > 0) for (const job of await queue.take(free)) begin(job)
    },
    stop: async (): Promise<void> => {
      await Promise.all(underWay)
      await queue.close()
    },
  }
}

/** Forgets deliveries that were settled long ago. */
export const forgetDeliveries = async ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<void> => {
  const before = new Date(clock.now().getTime() - keptMilliseconds)
  while ((await deleteSettled(db, before, atOnce)) === atOnce);
}
