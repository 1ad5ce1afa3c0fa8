import { createSemaphore } from '../../../shared/concurrency/semaphore.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type EventPage, readPage } from '../../kernel/stream/stream.ts'
import type { LeasedWebhook } from './lease-queries.ts'

const maxPages = 4
const eventsPerPage = 100

/** Reads pages for sessions: those of one place share one read, and only so many run at once, to leave connections over. */
export const createPageReader = (prepared: RunPrepared) => {
  const reading = new Map<string, Promise<EventPage>>()
  const semaphore = createSemaphore(maxPages)
  const read = ({ brainId, types }: LeasedWebhook, after: number): Promise<EventPage> =>
    semaphore.run(() =>
      readPage(prepared, brainId, { after, limit: eventsPerPage, types: types ?? undefined, evenDeleted: true }),
    )
  return (webhook: LeasedWebhook, after: number): Promise<EventPage> => {
    const key = [webhook.brainId, after, webhook.types].join(' ')
    const page = reading.get(key) ?? read(webhook, after).finally(() => reading.delete(key))
    reading.set(key, page)
    return page
  }
}
