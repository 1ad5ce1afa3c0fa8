import type { EventType, NewEvent } from '@noema/contracts/events.ts'
import { notFound } from '../../shared/errors.ts'
import type { Queryable } from '../../storage/database.ts'
import { type CursorScope, sealCursor } from './cursor.ts'
import { type EventRow, selectEvents, selectEventsOfTypes } from './queries.ts'

// The stream of a Brain. Events are written by the transaction whose changes they tell of, at positions taken under the
// Brain row's lock: so position order is commit order, and a reader never sees position n + 1 before n (EVT-03).

export { insertEvents } from './queries.ts'

/** The most positions that one page looks at when `types` leaves events out. */
const examinedPerPage = 10_000

/** Gives events their places after `position`. */
export const placeEvents = (
  scope: CursorScope,
  position: number,
  occurredAt: string,
  events: readonly NewEvent[],
): EventRow[] =>
  events.map(({ type, data }, index) => {
    const place = position + index + 1
    return { position: place, type, event: { cursor: sealCursor('events', scope, place), type, occurredAt, data } }
  })

/** A page of the stream: events as JSON text, and the position that it has examined. */
export type EventPage = { events: string[]; examined: number; hasMore: boolean }

type PageRequest = { after: number; limit: number; types?: readonly EventType[] | undefined }

/** Reads the events after a position. Every reader, HTTP page, live tail, MCP or delivery, comes through here. */
export const readPage = async (db: Queryable, brainId: number, request: PageRequest): Promise<EventPage> => {
  const { after, limit, types } = request
  const reach = types ? examinedPerPage : limit
  const { rows } = types
    ? await selectEventsOfTypes(db, brainId, { after, upTo: after + reach, limit }, types)
    : await selectEvents(db, brainId, after, limit)
  const head = rows[0]?.head
  if (head === undefined) throw notFound('This Brain does not exist; it was deleted.')
  const events = rows.flatMap((row) => row.event ?? [])
  const last = rows.at(-1)?.position ?? after
  const examined = events.length === limit ? last : Math.max(after, Math.min(head, after + reach))
  return { events, examined, hasMore: examined < head }
}

/** The `data` of an events page as JSON text. */
export const pageJson = (scope: CursorScope, page: EventPage): string =>
  `{"events":[${page.events.join(',')}],"cursor":"${sealCursor('events', scope, page.examined)}","hasMore":${page.hasMore}}`
