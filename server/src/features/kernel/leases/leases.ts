import { setTimeout as delay } from 'node:timers/promises'
import type { RawBuilder } from 'kysely'
import type { Clock } from '../../../shared/clock.ts'
import type { DueKey, DuePage, LeasedWork, OverlookedPage, Turn } from '../../../shared/concurrency/leased-work.ts'
import type { Topic } from '../../../shared/concurrency/topics.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { isDatabaseUnavailable } from '../../../storage/database-errors.ts'
import {
  type LaggingBrains,
  type LeasedBrain,
  leaseTurns,
  mergeDue,
  type NarrowBrains,
  narrowToAfter,
  narrowToBetween,
  narrowToKeys,
  selectDueTurns,
  selectLagging,
  selectNumberAfter,
  selectStart,
  storeLeaseOutcomes,
  type TurnOutcome,
} from './lease-queries.ts'

// Background work on Brains: indexing, embedding, erasing and the like. The tables of each work show whether it has
// something to do for a Brain; a turn does a part of it for one Brain. This file has only the leases of turns, and the time
// of the next attempt after a failure.

type Deps = { db: Db; clock: Clock }

/** The arguments of a turn: whether it should stop, and a function that renews its lease; false if the lease is lost. */
export type BrainTurn = { stopping: AbortSignal; renew(): Promise<boolean> }

/** The result of a turn: nothing left, more to do, or a failure that is tried again with growing delays. */
export type BrainTurnEnd = 'done' | 'unfinished' | 'later'

export type BrainWork = {
  name: string
  /** The name of its leases, which never changes. */
  work: string
  maxTurns: number
  leaseSeconds: number
  /** The topic that names Brains that may have work, and the debounce of its notifications. */
  topic?: Topic
  debounce?: { quietMilliseconds: number; maxMilliseconds: number }
  /** The polling interval, if it is not one second. */
  everySeconds?: number
  /** The Brains with something to do, of some. None while nothing can be done at all. */
  behind(narrow: NarrowBrains, now: Date): LaggingBrains | Promise<LaggingBrains | undefined>
  /** Selects Brains with something that the clock made due, by number, where that is quicker otherwise. */
  dueKeys?(page: DuePage): RawBuilder<DueKey>
  run(brainId: number, turn: BrainTurn): Promise<BrainTurnEnd>
  /** Brains that one search for overlooked ones covers, if not the default. */
  brainsPerSearch?: number
}

const maxKeys = 200
/** A node searches every ten seconds: it has covered 100,000 Brains after 100 seconds. */
const defaultBrainsPerSearch = 10_000
const minRetrySeconds = 15
/** The pause after an outage, which has no cause in the Brain: a lasting outage keeps everyone from leasing anyway. */
const outageRetrySeconds = 1
const outagePauseMilliseconds = 500
const maxRetrySeconds = 900

const ended: TurnOutcome = { dueAt: null, keepsLease: false, failures: 0 }

/** Finds the Brains that have work: all of them by pages, or a part of them per poll. */
const createFinders = (db: Db, { work, behind: listLagging, brainsPerSearch = defaultBrainsPerSearch }: BrainWork) => {
  const selectAllLagging = (page: DuePage): RawBuilder<DueKey> => {
    const behind = listLagging(narrowToAfter(page.after), page.now)
    if (behind instanceof Promise)
      throw new Error(`${work} is polled for, so what it selects may not have to be waited for.`)
    return selectLagging({ work, behind }, page)
  }

  const findOverlooked = async (page: DuePage): Promise<OverlookedPage> => {
    const last = await selectNumberAfter(db, page.after, brainsPerSearch)
    const behind = await listLagging(narrowToBetween(page.after, last), page.now)
    const { rows } = behind ? await selectLagging({ work, behind }, page).execute(db) : { rows: [] }
    const keys = rows.map(({ key }) => key)
    return { keys, next: keys.length < page.limit ? last : keys.at(-1) }
  }

  return { selectAllLagging, findOverlooked, findStart: (share: number) => selectStart(db, share, brainsPerSearch) }
}

/** Renews a lease for as long as its work goes on; answers how to stop, before anything else is stored under it. */
const keepLease = (renew: () => Promise<boolean>, leaseSeconds: number): (() => Promise<void>) => {
  let renewing: Promise<unknown> | undefined
  const timer = setInterval(
    () => {
      renewing = renew().catch(() => false)
    },
    (leaseSeconds * 1_000) / 3,
  ).unref()
  return async () => {
    clearInterval(timer)
    await renewing
  }
}

/** Stores an outcome: at once, or as soon as a database that is away is there again, unless the node stops before. */
const storeFinally = async (storeOutcome: () => Promise<unknown>, stopping: AbortSignal): Promise<void> => {
  do {
    try {
      await storeOutcome()
      return
    } catch (error) {
      // An outcome that the database refuses waits until the lease expires.
      if (!isDatabaseUnavailable(error)) return
      await delay(outagePauseMilliseconds, undefined, { signal: stopping }).catch(() => undefined)
    }
  } while (!stopping.aborted)
}

/** Makes leased work of a Brain's background work. */
export const createBrainWork = (deps: Deps, spec: BrainWork): LeasedWork<LeasedBrain, TurnOutcome> => {
  const { db, clock } = deps
  const { name, work, maxTurns, leaseSeconds, topic, debounce, everySeconds } = spec
  const { selectAllLagging, findOverlooked, findStart } = createFinders(db, spec)
  const selectOwn = spec.dueKeys ?? (topic === undefined ? selectAllLagging : undefined)
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)

  /** A database outage says nothing about a Brain: after any number of outages, its turn continues soon. */
  const afterOutage = ({ failures }: LeasedBrain): TurnOutcome => ({
    dueAt: inSeconds(outageRetrySeconds),
    keepsLease: false,
    failures,
  })

  const toRetry = ({ failures }: LeasedBrain): TurnOutcome => ({
    dueAt: inSeconds(Math.min(maxRetrySeconds, minRetrySeconds * 2 ** Math.min(failures, 10))),
    keepsLease: false,
    failures: failures + 1,
  })

  const run = async (row: LeasedBrain, { stopping, storeOutcome }: Turn<TurnOutcome>): Promise<boolean> => {
    const renew = () => storeOutcome({ dueAt: inSeconds(leaseSeconds), keepsLease: true, failures: row.failures })
    const stopRenewing = keepLease(renew, leaseSeconds)
    try {
      const end = await spec.run(row.brainId, { stopping, renew })
      await stopRenewing()
      await storeOutcome(end === 'later' ? toRetry(row) : ended)
      return end === 'unfinished'
    } catch (error) {
      // A Brain that was deleted just now has nothing left to do.
      const isGone = error instanceof ApiError && error.kind === 'not_found'
      const toOutcome = () => (isDatabaseUnavailable(error) ? afterOutage(row) : toRetry(row))
      await stopRenewing()
      await storeFinally(() => storeOutcome(isGone ? ended : toOutcome()), stopping)
      if (isGone) return false
      throw error
    }
  }

  return {
    ...{ name, maxTurns, leaseSeconds, maxKeys, isLocal: true, run },
    ...(topic === undefined ? {} : { topic }),
    ...(debounce === undefined ? {} : { debounce }),
    ...(everySeconds === undefined ? {} : { everySeconds }),
    lease: async (request) => {
      // A turn that outlived its lease on this node is not started a second time next to itself.
      const atIt = new Set(request.running.owners.map(({ owner }) => owner))
      const keys = request.keys.filter((key) => !atIt.has(key))
      const behind = await spec.behind(narrowToKeys(keys), request.now)
      if (!behind) return { rows: [], left: [], absent: keys }
      return leaseTurns(db, { work, behind }, { ...request, keys })
    },
    storeOutcomes: (settlements) => storeLeaseOutcomes(db, work, settlements),
    dueKeys: (page) => {
      const turns = selectDueTurns(work, page)
      return selectOwn ? mergeDue(turns, selectOwn(page), page) : turns
    },
    ...(topic === undefined ? {} : { findOverlooked, findStart }),
  }
}
