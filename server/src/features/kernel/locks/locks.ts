import { rateLimited, unavailable } from '../../../shared/errors.ts'
import { BrainBusy, type LockWait } from './lock-queries.ts'

// A change of a Brain locks its row. A transaction may hold that lock for long, as an import does, and each caller that waited
// for it in the database would occupy a connection. So the callers of one node queue for a Brain in memory, and the first of them
// waits for the lock only briefly at a time: a busy Brain costs others nothing.

/** Maximum wait of a caller for a Brain. */
export const maxWaitMilliseconds = 5_000

/** Maximum wait of the database for the lock: at first as long as a usual commit of another node takes. */
const [firstWait, laterWait] = [100, 25]
const [minPause, maxPause] = [20, 250]

/** The refusal of a call whose Brain another call holds for long. */
const busyBrain = () =>
  unavailable(
    'Another call is changing this Brain and takes longer than usual, as an import does. Try again shortly.',
    {
      code: 'brain_busy',
    },
  )

/** The refusal of a call when too many calls wait for the same Brain. */
export const crowdedBrain = () =>
  rateLimited('Too many calls are waiting for this Brain. Send fewer at once, or put more into one batch.', {
    code: 'brain_crowded',
    retryAfterSeconds: 1,
  })

export type BrainLocks = {
  /**
   * Runs an attempt that waits for a Brain's lock for the given time, again while the Brain is busy. Throws `unavailable`
   * if the Brain stays busy until the deadline, and `rate_limited` if too many callers wait already. A caller that does not know
   * its Brain yet skips the queue.
   */
  run<Result>(
    brainId: number | undefined,
    attempt: (wait: LockWait) => Promise<Result>,
    deadline?: number,
  ): Promise<Result>
}

type Waiting = { enter(): void }

/** A queue for each Brain, first come first served. A caller leaves its queue at the deadline. */
const createQueues = (maxWaiting: number) => {
  const queues = new Map<number, Waiting[]>()
  const leave = (brainId: number): void => {
    const next = queues.get(brainId)?.shift()
    if (next) next.enter()
    else queues.delete(brainId)
  }
  const enter = async (brainId: number, deadline: number): Promise<() => void> => {
    const queue = queues.get(brainId)
    if (!queue) queues.set(brainId, [])
    else {
      if (queue.length >= maxWaiting) throw crowdedBrain()
      await new Promise<void>((resolve, reject) => {
        const waiting = { enter: () => resolve(clearTimeout(timer)) }
        const giveUp = () => {
          queue.splice(queue.indexOf(waiting), 1)
          reject(busyBrain())
        }
        const timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()))
        queue.push(waiting)
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

/** Opens the queues of a node. At most `maxWaiting` callers wait for one Brain. */
export const createBrainLocks = (maxWaiting: number): BrainLocks => {
  const queues = createQueues(maxWaiting)
  return {
    run: async (brainId, attempt, deadline = performance.now() + maxWaitMilliseconds) => {
      const leave = brainId === undefined ? undefined : await queues.enter(brainId, deadline)
      return retryWhileBusy(attempt, deadline).finally(leave)
    },
  }
}
