import type { Tail } from './tail.ts'

const tickMilliseconds = 1_000
/** A tail outlives its key's revocation by no more than this. */
const ticksPerCheck = 3
const ticksPerHeartbeat = 5

/** The followed Brains of a node, each with its followers. */
type Followed = {
  list(): readonly { tails: Iterable<Tail>; age(): void }[]
  /** Finds events whose notification was lost. Never rejects. */
  poll(): Promise<void>
  recordFailure(error: unknown): void
}

/** Runs the shared work of all tails of a node once a second, while there are any. */
export const createTicks = (followed: Followed) => {
  let timer: NodeJS.Timeout | undefined
  let ticks = 0
  let isLooking = false
  const poll = async () => {
    if (isLooking) return
    isLooking = true
    await followed.poll()
    isLooking = false
  }
  const tick = (): void => {
    ticks++
    const open = followed.list()
    const tails = open.flatMap((one) => [...one.tails])
    for (const one of open) one.age()
    if (ticks % ticksPerHeartbeat === 0) for (const tail of tails) tail.beat()
    // All in one turn of the event loop, so that their lookups share a statement.
    if (ticks % ticksPerCheck === 0) for (const tail of tails) tail.check().catch(followed.recordFailure)
    void poll()
  }
  return {
    start: (): void => {
      timer ??= setInterval(tick, tickMilliseconds).unref()
    },
    stop: (): void => {
      clearInterval(timer)
      timer = undefined
    },
  }
}
