import type { EventType } from '@noema/contracts/events.ts'
import { ApiError } from '../../../shared/errors.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type EventPage, readPage } from './stream.ts'
import type { Wakes } from './wakes.ts'

const lookAgainMilliseconds = 1_000
const pageLimit = 500

/** Waits for a wake, the poll's turn, or the end, whichever comes first. `armed` begins listening before the page is read. */
const armWake = (wakes: Wakes, brainId: number, signal: AbortSignal) => {
  let done = () => {}
  const woken = new Promise<void>((resolve) => {
    done = resolve
  })
  const stopListening = wakes.onWake(brainId, () => done())
  const timer = setTimeout(() => done(), lookAgainMilliseconds)
  signal.addEventListener('abort', done, { once: true })
  return {
    woken,
    disarm: () => {
      stopListening()
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
    },
  }
}

/** A page, or undefined once the Brain is deleted: whoever follows it is at the end, which is no error. */
const readUntilDeleted = (...request: Parameters<typeof readPage>): Promise<EventPage | undefined> =>
  readPage(...request).catch((error: unknown) => {
    if (error instanceof ApiError && error.kind === 'not_found') return undefined
    throw error
  })

/**
 * Follows a Brain's stream: yields each page that has events, and an empty one about once a second while there are none,
 * until the signal or the Brain's deletion ends it. Listening begins before each read, so a commit between read and wait is not slept through.
 */
export async function* followEvents(
  deps: { prepared: RunPrepared; wakes: Wakes },
  brainId: number,
  start: { after: number; types?: readonly EventType[] | undefined },
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  let after = start.after
  while (!signal.aborted) {
    const wake = armWake(deps.wakes, brainId, signal)
    try {
      const page = await readUntilDeleted(deps.prepared, brainId, { after, limit: pageLimit, types: start.types })
      if (!page) return
      after = page.examined
      yield page
      if (!page.hasMore) await wake.woken
    } finally {
      wake.disarm()
    }
  }
}
