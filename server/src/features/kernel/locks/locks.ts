import { rateLimited, unavailable } from '../../../shared/errors.ts'
import { BrainBusy, type LockWait } from './lock-queries.ts'

// A write locks its Brain's row. A transaction such as an import may have this lock for long, and each caller that waited
// for it in the database would keep a connection from everyone else. So callers of one node take turns on a Brain in
// memory, and the first of them requests the lock only for moments at a time: a busy Brain costs others nothing.

/** Maximum wait of a caller for a Brain. */
export const maxWaitMilliseconds = 5_000

/** Maximum wait of the database for the lock: at first as long as an ordinary commit of another node may take. */
const [firstWait, laterWait] = [100, 25]
const [minPause, maxPause] = [20, 250]

/** The refusal of a call whose Brain another call keeps for long. */
const busyBrain = () =>
  unavailable('Another call holds this for longer than usual, as an import does. Try again shortly.', {
    code: 'brain_busy',
  })

/** The refusal of a call where too many wait for the same Brain. */
export const crowdedBrain = () =>
  rateLimited('Too many calls are waiting for this Brain. Send fewer at once, or put more into one batch.', {
    code: 'brain_crowded',
    retryAfterSeconds: 1,
  })

export type BrainLocks = {
  /**
   * Runs a task that first locks a Brain, by `lockingBriefly` with the given wait, and repeats it while the Brain is busy.
   * Throws `unavailable` if the Brain stays busy until the deadline, and `rate_limited` if too many callers wait already. A
   * caller without a known Brain does not wait for a turn.
   */
  run<Result>(
    brainId: number | undefined,
    attempt: (wait: LockWait) => Promise<Result>,
    deadline?: number,
  ): Promise<Result>
}

type Waiting = { enter(): void }

/** Turns on Brains, in the order of the callers' arrival. A caller that waits past the deadline leaves the queue. */
const createTurns = (maxWaiting: number) => {
  const lines = new Map<number, Waiting[]>()
  const leave = (brainId: number): void => {
    const next = lines.get(brainId)?.shift()
    if (next) next.enter()
    else lines.delete(brainId)
  }
  const enter = async (brainId: number, deadline: number): Promise<() => void> => {
    const line = lines.get(brainId)
    if (!line) lines.set(brainId, [])
    else {
      if (line.length >= maxWaiting) throw crowdedBrain()
      await new Promise<void>((resolve, reject) => {
        const waiting = { enter: () => resolve(clearTimeout(timer)) }
        const giveUp = () => {
          line.splice(line.indexOf(waiting), 1)
          reject(busyBrain())
        }
        const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()))
        line.push(waiting)
      })
    }
    return () => leave(brainId)
  }
  return { enter }
}

const pause = (attempts: number) => {
  const longest = Math.min(maxPause, minPause * 2 ** attempts)
  return new Promise<void>((resolve) => setTimeout(resolve, longest * (0.5 + Math.random() / 2)))
}

const retryWhileBusy = async <Result>(
  attempt: (wait: LockWait) => Promise<Result>,
  deadline: number,
): Promise<Result> => {
  for (let attempts = 0; ; attempts++) {
    try {
      return await attempt(attempts === 0 ? firstWait : laterWait)
    } catch (error) {
      if (!(error instanceof BrainBusy)) throw error
      if (performance.now() >= deadline) throw busyBrain()
    }
    await pause(attempts)
  }
}

/** Opens the turns of a node. At most `maxWaiting` callers wait for one Brain. */
export const createBrainLocks = (maxWaiting: number): BrainLocks => {
  const turns = createTurns(maxWaiting)
  return {
    run: async (brainId, attempt, deadline = performance.now() + maxWaitMilliseconds) => {
      const leave = brainId === undefined ? undefined : await turns.enter(brainId, deadline)
      return retryWhileBusy(attempt, deadline).finally(leave)
    },
  }
}
