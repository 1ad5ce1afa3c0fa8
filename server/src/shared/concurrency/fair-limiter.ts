import { createFairQueue, type FairQueue } from './fair-queue.ts'

/** The subject of a limit: an organization, and the key or person that acts for it. */
export type Subject = { organization: string; key: string }

/** The total of the node, the maximum of one organization, and that of one key. */
export type ShareLimits = { node: number; organization: number; key: number }

/** Releases the amount. A second call does nothing. */
export type Release = () => void

/** An amount in use. It may turn out to be that of another subject, which then uses it, even beyond its share. */
export type Held = Release & { moveTo(subject: Subject): void }

type Wait = {
  /** The longest wait; without it the caller waits forever. */
  maxMilliseconds?: number
  /** When the wait began, by `performance.now()`; now by default. */
  since?: number
}

/** Divides a limited resource of a node, such as slots for requests or bytes of bodies. */
export type FairLimiter = {
  /** Takes some of it at once; undefined if the subject may have no more now. */
  take(subject: Subject, amount?: number): Held | undefined
  /** Waits for one unit, organizations in turn; undefined if none is free in time, or if the wait would be too long. */
  wait(subject: Subject, wait?: Wait): Promise<Held | undefined>
  /** Checks whether any caller waits. */
  hasWaiting(): boolean
  /** Checks whether an organization waits that uses nothing. */
  hasNewcomer(): boolean
  /** Starts at most `max` of the callers whose turn it is. */
  startWaiting(max: number): number
  /** The amount that all subjects use. */
  held(): number
  /** Checks whether another organization uses some of it. */
  isShared(organization: string): boolean
  /** Sets the node's total. Amounts in use stay in use. */
  resize(node: number): void
}

type Waiting = { subject: Subject; since: number; deadline: number; finish(held: Held | undefined): void }

export type LimiterOptions = {
  /** The maximum number of waiting callers of one organization. */
  maxWaiting?: number
  /** Called when an amount is released while callers wait: by default they start at once. */
  onFree?: (limiter: FairLimiter) => void
}

const sweepMilliseconds = 50
/** Callers past their wait that are refused in one turn of the event loop. */
const maxRefusalsInTurn = 64

/** The amount that each name uses. A name that uses nothing is not stored. */
const createTally = () => {
  const amounts = new Map<string, number>()
  return {
    get: (name: string): number => amounts.get(name) ?? 0,
    add: (name: string, amount: number): void => {
      const sum = (amounts.get(name) ?? 0) + amount
      if (sum <= 0) amounts.delete(name)
      else amounts.set(name, sum)
    },
  }
}

/** Counts the amounts in use. */
const createShares = (limits: ShareLimits) => {
  const [organizations, keys] = [createTally(), createTally()]
  let { node } = limits
  let held = 0
  const add = ({ organization, key }: Subject, amount: number): void => {
    held += amount
    organizations.add(organization, amount)
    keys.add(key, amount)
  }
  return {
    add,
    /**
     * Besides its own limits, no organization takes more than stays free for the others (dynamic thresholds; Choudhury and
     * Hahne, 1998): one alone gets half, many get equal shares, the largest user is refused first, and a newcomer finds
     * room. A subject that uses nothing may take the last unit.
     */
    mayTake: ({ organization, key }: Subject, amount: number): boolean => {
      const before = organizations.get(organization)
      const free = node - held
      if (amount > free || keys.get(key) + amount > limits.key || before + amount > limits.organization) return false
      return before === 0 || before + amount <= free - amount
    },
    usesNothing: (organization: string): boolean => organizations.get(organization) === 0,
    isShared: (organization: string): boolean => held > organizations.get(organization),
    countHeld: () => held,
    resize: (size: number): void => {
      node = size
    },
  }
}

/**
 * The callers that wait, and how long the last one of each organization had waited when it started. A caller would wait as long
 * as the one before it, so that its wait is known when it comes.
 */
const createLine = (maxWaiting: number) => {
  const queue: FairQueue<Waiting> = createFairQueue()
  const lastWaits = new Map<string, number>()
  let isSweeping = false
  const recordWait = ({ subject: { organization }, since }: Waiting, now: number): void => {
    if (queue.count(organization) === 0) lastWaits.delete(organization)
    else lastWaits.set(organization, now - since)
  }
  const sweep = (): void => {
    const now = performance.now()
    const late = queue.removeFirst(({ deadline }) => deadline <= now, maxRefusalsInTurn)
    for (const one of late) {
      recordWait(one, now)
      one.finish(undefined)
    }
    if (queue.isEmpty()) isSweeping = false
    else if (late.length < maxRefusalsInTurn) setTimeout(sweep, sweepMilliseconds).unref()
    else setImmediate(sweep)
  }
  return {
    queue,
    recordWait,
    isFull: ({ organization }: Subject, milliseconds: number): boolean =>
      queue.count(organization) >= maxWaiting || (lastWaits.get(organization) ?? 0) > milliseconds * 0.8,
    add: (one: Waiting): void => {
      queue.add(one.subject.organization, one)
      if (isSweeping || one.deadline === Number.POSITIVE_INFINITY) return
      isSweeping = true
      setTimeout(sweep, sweepMilliseconds).unref()
    },
  }
}

/** Creates a limiter that is fair to organizations: each gets its share, and waiting ones take turns. */
export const createFairLimiter = (
  limits: ShareLimits,
  { maxWaiting = Number.POSITIVE_INFINITY, onFree = (limiter) => limiter.startWaiting(1) }: LimiterOptions = {},
): FairLimiter => {
  const shares = createShares(limits)
  const line = createLine(maxWaiting)
  const hold = (subject: Subject, amount: number): Held => {
    let owner = subject
    let isHeld = true
    const free = () => {
      shares.add(owner, -amount)
      if (!line.queue.isEmpty()) onFree(limiter)
    }
    const release = () => {
      if (isHeld) free()
      isHeld = false
    }
    const moveTo = (other: Subject) => {
      if (!isHeld || (other.organization === owner.organization && other.key === owner.key)) return
      shares.add(other, amount)
      free()
      owner = other
    }
    shares.add(subject, amount)
    return Object.assign(release, { moveTo })
  }
  const limiter: FairLimiter = {
    take: (subject, amount = 1) => (shares.mayTake(subject, amount) ? hold(subject, amount) : undefined),
    wait: (subject, { maxMilliseconds = Number.POSITIVE_INFINITY, since = performance.now() } = {}) => {
      if (line.isFull(subject, maxMilliseconds)) return Promise.resolve(undefined)
      return new Promise((finish) => line.add({ subject, since, deadline: since + maxMilliseconds, finish }))
    },
    hasWaiting: () => !line.queue.isEmpty(),
    hasNewcomer: () => [...line.queue.tenants()].some(shares.usesNothing),
    startWaiting: (max) => {
      let started = 0
      for (; started < max; started++) {
        const one = line.queue.next(({ subject }) => shares.mayTake(subject, 1))
        if (!one) break
        line.recordWait(one, performance.now())
        one.finish(hold(one.subject, 1))
      }
      return started
    },
    held: shares.countHeld,
    isShared: shares.isShared,
    resize: shares.resize,
  }
  return limiter
}

/** Runs a task once the subject has a slot. */
export const runInSlot = async <Result>(
  limiter: FairLimiter,
  subject: Subject,
  task: () => Promise<Result>,
): Promise<Result> => {
  const release = limiter.take(subject) ?? (await limiter.wait(subject))
  try {
    return await task()
  } finally {
    release?.()
  }
}
