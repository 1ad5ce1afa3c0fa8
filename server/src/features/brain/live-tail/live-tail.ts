import type { EventType } from '@noema/contracts/events.ts'
import { ApiError } from '../../../shared/errors.ts'
import { awaitTopic, brainTopic, type Topics } from '../../../shared/topics.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type EventPage, readPage } from '../stream/stream.ts'

const lookAgainMilliseconds = 1_000
const pageLimit = 500

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
  deps: { prepared: RunPrepared; topics: Topics },
  brainId: number,
  start: { after: number; types?: readonly EventType[] | undefined },
  signal: AbortSignal,
): AsyncGenerator<EventPage> {
  let after = start.after
  while (!signal.aborted) {
    const news = awaitTopic(deps.topics, brainTopic(brainId), { lookAgainMilliseconds, signal })
    try {
      const page = await readUntilDeleted(deps.prepared, brainId, { after, limit: pageLimit, types: start.types })
      if (!page) return
      after = page.examined
      yield page
      if (!page.hasMore) await news.published
    } finally {
      news.stop()
    }
  }
}
