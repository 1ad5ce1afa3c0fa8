import type { Release, Subject } from '../../../shared/concurrency/fair-limiter.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'

// The slot of one extraction on its node. Files that take long do not keep organizations waiting that have no file in progress:
// a long extraction gives its slot to one of them, and goes on in an additional slot. There are few of those; without one it ends,
// and its caller may retry.

/** The maximum wait for other extractions, in milliseconds. */
const maxWaitMilliseconds = 30_000

/** An extraction has its slot to itself for this part of the time that it may take at most: five seconds of two minutes. */
const quickPart = 1 / 24
const pollMilliseconds = 250

export type ExtractionSlot = {
  /** Aborts when the extraction has to end for others. */
  signal: AbortSignal
  leave: Release
}

/** Waits for the slot of an extraction that may take so many seconds. */
export const takeExtractionSlot = async (
  open: OpenShares,
  subject: Subject,
  seconds: number,
): Promise<ExtractionSlot> => {
  const leave = await open.wait('extractions', subject, maxWaitMilliseconds)
  const ended = new AbortController()
  let giveBack: Release | undefined
  const yieldToOthers = (): void => {
    if (open.hasNewcomer('extractions')) {
      giveBack = open.addSlot('extractions')
      if (!giveBack) ended.abort()
      return
    }
    timer = setTimeout(yieldToOthers, pollMilliseconds)
  }
  let timer = setTimeout(yieldToOthers, seconds * 1000 * quickPart)
  return {
    signal: ended.signal,
    leave: () => {
      clearTimeout(timer)
      giveBack?.()
      leave()
    },
  }
}
