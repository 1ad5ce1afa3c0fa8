import type { Clock } from '../../../shared/clock.ts'
import { type ApiError, rateLimited } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { wasRefused } from '../../../storage/database-errors.ts'
import { deleteFull, shareUse, type Use } from './queries.ts'

// The request rates of callers: token buckets in each node's memory, which one statement for all merges with the other
// nodes' about once a second. A request never waits for the database here, and a node without it counts alone.

/** So many requests a second in the long run, and so many at once. */
export type Rate = { perSecond: number; burst: number }

/** A bucket that a request counts against; `label` is the type of its owner. */
export type Bucket = { label: 'key' | 'organization' | 'address' | 'failures'; name: string; rate: Rate }

/** The result for a request: whether it may pass, and the remainder and time of the bucket that is closest to its limit. */
export type Taken = {
  isAllowed: boolean
  bucket: Bucket
  left: number
  /** Until the bucket is full again, or, of a request that may not pass, until it may. */
  seconds: number
}

const owners = { key: 'this key', organization: 'this organization', address: 'this address without a key' }

/** The refusal of a request for which a bucket has nothing left. */
export const toRateRefusal = ({ bucket, seconds }: Taken): ApiError => {
  const { burst, perSecond } = bucket.rate
  const message =
    bucket.label === 'failures'
      ? 'Too many requests with keys that are not valid came from this address. Wait as long as Retry-After says.'
      : `Too many requests: ${owners[bucket.label]} may send ${perSecond} a second, and ${burst} at once. Wait as long as Retry-After says.`
  return rateLimited(message, { retryAfterSeconds: seconds })
}

export type Rates = {
  /**
   * Takes a request from all of these buckets, or from none where one is empty. One that counts for many may leave a bucket
   * owing, which the next ones wait for.
   */
  take(buckets: readonly [Bucket, ...Bucket[]], now: Date, count?: number): Taken
  /** The same without taking: whether a request could pass now. */
  peek(buckets: readonly [Bucket, ...Bucket[]], now: Date): Taken
  /** Reports this node's uses to the other nodes, and reads theirs. */
  share(): Promise<void>
  /** Deletes full buckets. */
  forget(): Promise<void>
}

/** `used`: what this node has not reported yet, since the time `since`. Times are in milliseconds. */
type Level = { tokens: number; at: number; used: number; since: number; rate: Rate }

/** Maximum number of buckets in one statement; the rest waits for the next. */
const maxShared = 5_000

const fill = (level: Level, now: number): void => {
  if (now <= level.at) return
  level.tokens = Math.min(level.rate.burst, level.tokens + ((now - level.at) / 1_000) * level.rate.perSecond)
  level.at = now
}

const toTaken = (bucket: Bucket, { tokens }: Level, isAllowed: boolean): Taken => {
  const { burst, perSecond } = bucket.rate
  const missing = isAllowed ? burst - tokens : 1 - tokens
  return {
    isAllowed,
    bucket,
    left: Math.max(0, Math.floor(tokens)),
    seconds: Math.max(1, Math.ceil(missing / perSecond)),
  }
}

/** The buckets that this node knows, refilled up to now at each read. */
const createLevels = () => {
  const levels = new Map<string, Level>()
  const find = ({ name, rate }: Bucket, now: number): Level => {
    const known = levels.get(name)
    if (!known) {
      const level = { tokens: rate.burst, at: now, used: 0, since: now, rate }
      levels.set(name, level)
      return level
    }
    known.rate = rate
    fill(known, now)
    return known
  }
  return {
    levels,
    /** The bucket that is closest to its end. */
    findTightest: (buckets: readonly [Bucket, ...Bucket[]], now: number): [Bucket, Level] => {
      let tightest: [Bucket, Level] = [buckets[0], find(buckets[0], now)]
      for (const bucket of buckets.slice(1)) {
        const level = find(bucket, now)
        if (level.tokens < tightest[1].tokens) tightest = [bucket, level]
      }
      return tightest
    },
    forgetFull: (now: number): void => {
      for (const [name, level] of levels) {
        fill(level, now)
        if (level.used === 0 && level.tokens >= level.rate.burst) levels.delete(name)
      }
    },
  }
}

type Deps = { db: Db; clock: Clock }

/** Merges the buckets in `changed`, which this node has used, with those of the other nodes. */
const createSharing = ({ db, clock }: Deps, levels: ReadonlyMap<string, Level>, changed: Set<string>) => {
  /** Subtracts the reported uses from those to report. */
  const settle = (uses: readonly Use[]): void => {
    for (const { name, used } of uses) {
      const level = levels.get(name)
      if (level) level.used -= used
      if (level && level.used <= 0) changed.delete(name)
    }
  }
  const adopt = (reported: readonly { name: string; tokens: number; at: Date }[]): void => {
    for (const { name, tokens, at } of reported) {
      const level = levels.get(name)
      if (!level) continue
      // Uses during the statement are not in its answer.
      level.tokens = tokens - level.used
      level.at = at.getTime()
    }
  }
  return async (): Promise<void> => {
    const now = clock.now().getTime()
    const uses = [...changed].slice(0, maxShared).flatMap((name): Use[] => {
      const level = levels.get(name)
      if (!level) return []
      const use = { name, used: level.used, since: new Date(level.since), ...level.rate }
      level.since = now
      return [use]
    })
    if (uses.length === 0) return
    try {
      const reported = await shareUse(db, uses)
      settle(uses)
      adopt(reported)
    } catch (error) {
      // The database may have stored it although the answer was lost: callers are rather admitted than charged twice.
      if (!wasRefused(error)) settle(uses)
      throw error
    }
  }
}

export const createRates = (deps: Deps): Rates => {
  const { db, clock } = deps
  const { levels, findTightest, forgetFull } = createLevels()
  const changed = new Set<string>()
  const shareOnce = createSharing(deps, levels, changed)
  let sharing = Promise.resolve()
  return {
    peek: (buckets, now) => {
      const [bucket, level] = findTightest(buckets, now.getTime())
      return toTaken(bucket, level, level.tokens >= 1)
    },
    take: (buckets, now, count = 1) => {
      const [tightest, lowest] = findTightest(buckets, now.getTime())
      if (lowest.tokens < 1) return toTaken(tightest, lowest, false)
      for (const { name } of buckets) {
        const level = levels.get(name)
        if (!level) continue
        if (level.used === 0) level.since = now.getTime()
        level.tokens -= count
        level.used += count
        changed.add(name)
      }
      return toTaken(tightest, lowest, true)
    },
    share: () => {
      // One after the other: concurrent reports would count twice.
      sharing = sharing.catch(() => undefined).then(shareOnce)
      return sharing
    },
    forget: async () => {
      const now = clock.now().getTime()
      forgetFull(now)
      await deleteFull(db, new Date(now))
    },
  }
}
