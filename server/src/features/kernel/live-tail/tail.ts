import type { Follower } from './brain-feed.ts'

/** One tail as its node keeps it. */
export type Tail = Follower & {
  /** Lets one that waits say that it is still there. */
  beat(): void
  /** Checks whether its reader may still read, and ends it otherwise. */
  check(): Promise<void>
  hasEnded(): boolean
  /** Resolves when there may be news, when it is over, or when it is time to say that nothing is new. */
  wait(): Promise<'news' | 'heartbeat'>
}

/** Time for which a tail continues while its access is unknown. */
const maxUncheckedMilliseconds = 15_000

/** A tail, which ends by a signal at the latest. */
export const createTail = (isStillAllowed: () => Promise<boolean | undefined>, signal: AbortSignal): Tail => {
  let checkedAt = performance.now()
  let resume: ((why: 'news' | 'heartbeat') => void) | undefined
  let isOver = signal.aborted
  const wake = () => resume?.('news')
  const end = () => {
    isOver = true
    signal.removeEventListener('abort', end)
    wake()
  }
  signal.addEventListener('abort', end, { once: true })
  return {
    ...{ wake, end },
    check: async () => {
      const isAllowed = await isStillAllowed()
      if (isAllowed) checkedAt = performance.now()
      else if (isAllowed === false || performance.now() - checkedAt > maxUncheckedMilliseconds) end()
    },
    beat: () => resume?.('heartbeat'),
    hasEnded: () => isOver,
    wait: () =>
      isOver
        ? Promise.resolve('news')
        : new Promise((resolve) => {
            resume = resolve
          }),
  }
}
