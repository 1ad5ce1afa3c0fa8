import type { Clock } from '../../../shared/clock.ts'
import { unauthorized, validation } from '../../../shared/errors.ts'
import { withTimeout } from '../../../shared/timeout.ts'
import { badLine } from './read-export.ts'
import type { Line } from './types.ts'

// A transfer takes as long as its sender or reader does, and holds a connection and a snapshot for that time; so it ends
// when nothing comes, when it takes too long, and when who began it may do so no longer.

/** The time limits of transfers. */
export type TransferLimits = { maxMinutes: number; maxLineSeconds: number }

/** True while the caller may still do this; undefined if that cannot be decided now. */
export type IsStillAllowed = () => Promise<boolean | undefined>

/** Between two looks at whether the caller may go on. */
const pollMilliseconds = 2_000

/** Answers what to call now and then during a transfer: it throws where the transfer must end. */
export const watchTransfer = (
  clock: Clock,
  { maxMinutes }: TransferLimits,
  isStillAllowed: IsStillAllowed,
): (() => Promise<void>) => {
  const end = clock.now().getTime() + maxMinutes * 60_000
  let checkedAt = performance.now()
  return async () => {
    if (clock.now().getTime() > end)
      throw validation(`This took longer than ${maxMinutes} minutes, the maximum for one transfer.`)
    if (performance.now() - checkedAt < pollMilliseconds) return
    checkedAt = performance.now()
    if ((await isStillAllowed()) === false)
      throw unauthorized('The key or session that began this does not work any more. Begin again with one that does.')
  }
}

/** Items as they come. Throws where the next is not whole in time; what is done between two items does not count. */
export async function* inTime<Item>(
  items: AsyncIterable<Item>,
  seconds: number,
  refuse: (last: Item | undefined) => Error,
): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]()
  let last: Item | undefined
  try {
    for (;;) {
      const coming = iterator.next()
      const next = await withTimeout(coming, seconds * 1000)
      if (next === undefined) {
        // No one awaits it any more.
        coming.catch(() => {})
        throw refuse(last)
      }
      if (next.done) return
      last = next.value
      yield next.value
    }
  } finally {
    void iterator.return?.().catch(() => {})
  }
}

/** Lines as they come. Throws where the next is not whole in time. */
export const linesInTime = (lines: AsyncIterable<Line>, seconds: number): AsyncGenerator<Line> =>
  inTime(lines, seconds, (last) =>
    badLine((last?.number ?? 0) + 1, `it was not whole after ${seconds} seconds. Send the file again.`),
  )
