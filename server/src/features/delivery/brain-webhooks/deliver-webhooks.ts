import { randomUUID } from 'node:crypto'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import type { Seal } from '../../../shared/seal.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import type { Topics } from '../../../shared/topics.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type LeasedWebhook, leaseWebhooks, selectDueBrains, selectOverlookedBrains } from './lease-queries.ts'
import { createLookout } from './lookout.ts'
import { createPageReader } from './page-reader.ts'
import { leaseMilliseconds, runSession } from './session.ts'
import { createSettling } from './settling.ts'

// Events go out as soon as they are committed: a wake names a Brain, its webhooks that have something to send are leased in
// one statement, and each runs by itself from then on. There is no timer and no look-up for a webhook that has nothing to
// send. Wakes are hints: once a second this node looks for what is due by the clock, now and then for what a lost wake left.

type Deps = { db: Db; prepared: RunPrepared; clock: Clock; log: Log; topics: Topics; outbound: Outbound; seal: Seal }

/** Deliveries under way on one node; each waits for its receiver. */
const mostSessions = 1_000
const turnsPerSweep = 10
const stopMilliseconds = 3_000

/** Starts delivering what wakes tell of. `run` looks for what the clock tells of. */
export const startDelivering = (deps: Deps) => {
  const lookout = createLookout()
  const sessions = new Set<Promise<void>>()
  let isStopping = false
  let isLeasing = false
  let turns = 0
  const parts = {
    ...deps,
    settle: createSettling(deps.prepared),
    readPage: createPageReader(deps.prepared),
    isStopping: () => isStopping,
  }

  const start = (webhook: LeasedWebhook): void => {
    const end = lookout.begin(webhook.brainId)
    const session = runSession(parts, webhook)
      .catch((error) => {
        deps.log.warn({ webhook: webhook.id, err: error }, 'a webhook was left until its lease ends')
        return false
      })
      .then((isUnfinished) => {
        sessions.delete(session)
        end(isUnfinished)
        void lease()
      })
    sessions.add(session)
  }

  const leaseOnce = async (brainIds: readonly number[]): Promise<void> => {
    const now = deps.clock.now()
    const limit = mostSessions - sessions.size
    const until = new Date(now.getTime() + leaseMilliseconds)
    const taken = { lease: randomUUID(), now, until, limit }
    const { leased, watched } = await leaseWebhooks(deps.prepared, brainIds, taken).catch((error) => {
      for (const brainId of brainIds) lookout.postpone(brainId)
      throw error
    })
    for (const brainId of brainIds) if (!watched.has(brainId)) lookout.noteUnwatched(brainId)
    for (const webhook of leased) start(webhook)
    if (leased.length === limit) for (const brainId of watched) lookout.add(brainId)
  }

  const lease = async (): Promise<void> => {
    if (isLeasing) return
    isLeasing = true
    try {
      while (!lookout.isEmpty() && !isStopping && sessions.size < mostSessions) await leaseOnce(lookout.takeAll())
    } catch (error) {
      deps.log.warn({ err: error }, 'webhooks could not be leased; their events are found again later')
    } finally {
      isLeasing = false
    }
  }

  const stopListening = deps.topics.subscribe('brain:', (id) => {
    lookout.wake(Number(id))
    void lease()
  })

  return {
    run: async (): Promise<void> => {
      lookout.askAgain()
      const due = await selectDueBrains(deps.db, deps.clock.now())
      const overlooked = turns++ % turnsPerSweep === 0 ? await selectOverlookedBrains(deps.db) : []
      for (const brainId of [...due, ...overlooked]) lookout.add(brainId)
      await lease()
    },
    stop: async (): Promise<void> => {
      isStopping = true
      stopListening()
      await withTimeout(Promise.all(sessions), stopMilliseconds)
    },
  }
}
