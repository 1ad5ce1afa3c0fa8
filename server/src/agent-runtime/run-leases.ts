import { renewLeases } from '../features/agents/runs/lease-queries.ts'
import type { HeldRun } from '../features/agents/runs/types.ts'
import type { Clock } from '../shared/clock.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import type { Log } from '../shared/log.ts'
import type { Db } from '../storage/database.ts'

/** The duration of a lease. Another node takes over the runs of a node that died after this time. */
export const leaseSeconds = 10
const renewMilliseconds = 3_000

type Deps = { db: Db; clock: Clock; log: Log; topics: Pick<Topics, 'subscribe'> }

export type RunLeases = {
  /** Renews a lease until it is released. The signal aborts when the lease is lost, or the run has ended. */
  keep(run: HeldRun): { lost: AbortSignal; release(): void }
  close(): void
}

type Kept = { run: HeldRun; lost: AbortController; until: number }

/** Renews the leases of all runs that a node works on by one statement. */
export const openRunLeases = ({ db, clock, log, topics }: Deps): RunLeases => {
  const kept = new Map<string, Kept>()
  const toEnd = () => clock.now().getTime() + leaseSeconds * 1000

  const renew = async (): Promise<void> => {
    const asked = [...kept.values()]
    if (asked.length === 0) return
    const until = toEnd()
    try {
      const standing = await renewLeases(
        db,
        asked.map(({ run }) => run),
        new Date(until),
      )
      for (const one of asked)
        if (standing.has(one.run.id)) one.until = until
        else one.lost.abort()
    } catch (error) {
      log.warn({ err: error }, 'leases of runs could not be renewed')
      for (const one of asked) if (one.until <= clock.now().getTime()) one.lost.abort()
    }
  }

  let isRenewing = false
  const timer = setInterval(async () => {
    if (isRenewing) return
    isRenewing = true
    await renew()
    isRenewing = false
  }, renewMilliseconds).unref()
  const unsubscribe = topics.subscribe('run-end:', (id) => kept.get(id)?.lost.abort())
  return {
    keep: (run) => {
      const one = { run, lost: new AbortController(), until: toEnd() }
      kept.set(run.id, one)
      return {
        lost: one.lost.signal,
        release: () => {
          if (kept.get(run.id) === one) kept.delete(run.id)
        },
      }
    },
    close: () => {
      clearInterval(timer)
      unsubscribe()
    },
  }
}
