import { randomUUID } from 'node:crypto'
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Outbound } from '../../shared/outbound/outbound.ts'
import type { Seal } from '../../shared/seal.ts'
import type { Db, RunPrepared } from '../../storage/database.ts'
import { type EventPage, readPage } from '../events/events.ts'
import type { Wakes } from '../events/wakes.ts'
import { type LeasedWebhook, leaseWebhooks, selectDueBrains, selectOverlookedBrains } from './lease-queries.ts'
import { leaseMilliseconds, runSession } from './session.ts'
import { createSettling } from './settling.ts'

// Events go out as soon as they are committed: a wake names a Brain, its webhooks that have something to send are leased in
// one statement, and each runs by itself from then on. There is no timer and no look-up for a webhook that has nothing to
// send. Wakes are hints: once a second this node looks for what is due by the clock, now and then for what a lost wake left.

type Deps = { db: Db; prepared: RunPrepared; clock: Clock; log: Log; wakes: Wakes; outbound: Outbound; seal: Seal }

/** Deliveries under way on one node; each waits for its receiver. */
const mostSessions = 1_000
const mostPages = 4
const eventsPerPage = 100
const turnsPerSweep = 10
const stopMilliseconds = 3_000

/** Reads pages for sessions: those of one place share one read, and only so many run at once, to leave connections over. */
const createPageReader = (prepared: RunPrepared) => {
  const reading = new Map<string, Promise<EventPage>>()
  const waiting: (() => void)[] = []
  let running = 0
  const read = async ({ brainId, types }: LeasedWebhook, after: number): Promise<EventPage> => {
    if (running >= mostPages) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
    try {
      return await readPage(prepared, brainId, {
        after,
        limit: eventsPerPage,
        types: types ?? undefined,
        evenDeleted: true,
      })
    } finally {
      running--
      waiting.shift()?.()
    }
  }
  return (webhook: LeasedWebhook, after: number): Promise<EventPage> => {
    const key = [webhook.brainId, after, webhook.types].join(' ')
    const page = reading.get(key) ?? read(webhook, after).finally(() => reading.delete(key))
    reading.set(key, page)
    return page
  }
}

/** The Brains that this node is to look at. One that turned out to have no webhooks is not asked about again at once. */
const createLookout = () => {
  const toLookAt = new Set<number>()
  const unwatched = new Set<number>()
  const postponed = new Set<number>()
  return {
    add: (brainId: number) => (unwatched.has(brainId) ? postponed : toLookAt).add(brainId),
    takeAll: () => {
      const taken = [...toLookAt]
      toLookAt.clear()
      return taken
    },
    isEmpty: () => toLookAt.size === 0,
    noteUnwatched: (brainId: number) => unwatched.add(brainId),
    askAgain: () => {
      unwatched.clear()
      for (const brainId of postponed) toLookAt.add(brainId)
      postponed.clear()
    },
  }
}

/** Starts delivering what wakes tell of. `run` looks for what the clock tells of. */
export const startDelivering = (deps: Deps) => {
  const lookout = createLookout()
  const sessions = new Set<Promise<void>>()
  /** Brains with sessions: how many, and whether the Brain was woken since the first of them began. */
  const busy = new Map<number, { sessions: number; isWoken: boolean }>()
  let isStopping = false
  let isLeasing = false
  let turns = 0
  const parts = {
    ...deps,
    settle: createSettling(deps.db),
    readPage: createPageReader(deps.prepared),
    isStopping: () => isStopping,
  }

  const start = (webhook: LeasedWebhook): void => {
    const { brainId, id } = webhook
    const brain = busy.get(brainId) ?? { sessions: 0, isWoken: false }
    busy.set(brainId, brain)
    brain.sessions++
    const session = runSession(parts, webhook)
      .catch((error) => {
        deps.log.warn({ webhook: id, err: error }, 'a webhook was left until its lease ends')
        return false
      })
      .then((isUnfinished) => {
        sessions.delete(session)
        if (--brain.sessions === 0) busy.delete(brainId)
        // A wake that came while the lease was being given back found the webhook still leased.
        if (isUnfinished || brain.isWoken) look(brainId)
        else void lease()
      })
    sessions.add(session)
  }

  const leaseOnce = async (brainIds: readonly number[]): Promise<void> => {
    const now = deps.clock.now()
    const limit = mostSessions - sessions.size
    const until = new Date(now.getTime() + leaseMilliseconds)
    const { leased, watched } = await leaseWebhooks(deps.db, brainIds, { lease: randomUUID(), now, until, limit })
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

  const look = (brainId: number): void => {
    lookout.add(brainId)
    void lease()
  }
  const stopListening = deps.wakes.onAnyWake((brainId) => {
    const brain = busy.get(brainId)
    if (brain) brain.isWoken = true
    look(brainId)
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
      const tooLong = new Promise((resolve) => setTimeout(resolve, stopMilliseconds).unref())
      await Promise.race([Promise.all(sessions), tooLong])
    },
  }
}
