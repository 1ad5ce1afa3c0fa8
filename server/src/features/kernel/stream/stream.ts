import type { EventType } from '@noema/contracts/event-types.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import { notFound } from '../../../shared/errors.ts'
import type { RunPrepared } from '../../../storage/database.ts'
import { type CursorScope, encodeCursor, type List } from '../../platform/cursors/cursors.ts'
import {
  type EventRow,
  eventSeparator,
  eventsAfter,
  eventsByTypeAfter,
  eventsInRange,
  type PageRow,
  selectHead,
} from './event-queries.ts'

// The stream of a Brain. Events are written by the transaction of the changes that they report, at positions taken under the
// Brain row's lock: so position order is commit order, and a reader never sees position n + 1 before n (EVT-03).

/** The most positions that one page looks at when `types` leaves events out. */
const examinedPerPage = 10_000

/** The stream as a list: its cursors hold positions. */
export const eventList = { list: 'events', start: 0 } as const satisfies Omit<List<number>, 'scope'>

export const encodeEventCursor = (scope: CursorScope, position: number): string =>
  encodeCursor({ scope, list: eventList.list, place: position })

/** Gives events their places after `position`. */
export const positionEvents = (
  scope: CursorScope,
  position: number,
  occurredAt: string,
  events: readonly NewEvent[],
): EventRow[] =>
  events.map(({ type, data }, index) => {
    const place = position + index + 1
    const cursor = encodeCursor({ scope, list: eventList.list, place })
    return { position: place, type, event: { cursor, type, occurredAt, data } }
  })

/** A page of the stream: its events as JSON text with `eventSeparator` between them, and the position it has examined. */
export type EventPage = { events: string; examined: number; hasMore: boolean }

type PageRequest = {
  after: number
  limit: number
  types?: readonly EventType[] | undefined
  /** Reads a deleted Brain, too: its webhooks still get its last events. */
  evenDeleted?: boolean
}

type Range = Parameters<typeof eventsInRange>[0]

/** A page of all events of a range; undefined where there is no such Brain, or more than fits into a page. */
const readWhole = async (prepared: RunPrepared, range: Range): Promise<PageRow | undefined> => {
  const [{ text, count: rows } = { text: '', count: 0 }] = await prepared(eventsInRange(range))
  const count = rows - 1
  const end = count === 0 ? text.length : text.indexOf(eventSeparator)
  const head = rows === 0 ? Number.NaN : Number(text.slice(0, end))
  // The events of a Brain that is being deleted have no head in front.
  if (Number.isNaN(head) || (count === 0 && head > range.after)) return undefined
  const last = count === 0 ? null : range.after + count
  return { head, last, count, found: count, events: text.slice(end + eventSeparator.length) }
}

/** Reads the events after a position. Every reader, HTTP page, live tail, MCP or delivery, comes through here. */
export const readPage = async (prepared: RunPrepared, brainId: number, request: PageRequest): Promise<EventPage> => {
  const { after, limit, types, evenDeleted = false } = request
  const reach = types ? examinedPerPage : limit
  const range = { brainId, after, upTo: after + reach, limit, evenDeleted }
  // Positions have no gaps but in a deleted Brain, whose events are erased.
  const whole = types || evenDeleted ? undefined : await readWhole(prepared, range)
  const [page] = whole ? [whole] : await prepared(types ? eventsByTypeAfter({ ...range, types }) : eventsAfter(range))
  if (!page) throw notFound('This Brain does not exist: it was deleted.')
  const { head, last, count, found } = page
  const isFull = count === limit || found > count
  const examined = isFull && last !== null ? last : Math.max(after, Math.min(head, after + reach))
  return { events: page.events ?? '', examined, hasMore: examined < head }
}

/** The position after which the `newest` so many events stand: positions have no gaps. */
export const findNewestPosition = async (prepared: RunPrepared, brainId: number, newest: number): Promise<number> => {
  const [row] = await prepared(selectHead({ brainId }))
  return Math.max(0, (row?.head ?? 0) - newest)
}

/** The single events of a page, each as JSON text. */
export const splitEvents = ({ events }: EventPage): string[] => (events === '' ? [] : events.split(eventSeparator))

/** The cursor and type that every event's text begins with. */
export const readEventHead = (event: string): { cursor: string; type: string } => {
  const [, cursor = '', type = ''] = /^\{"cursor":"([^"]+)","type":"([^"]+)"/.exec(event) ?? []
  return { cursor, type }
}

/** The `data` of an events page as JSON text. */
export const pageJson = (scope: CursorScope, { events, examined, hasMore }: EventPage): string =>
  `{"events":[${events}],"cursor":"${encodeEventCursor(scope, examined)}","hasMore":${hasMore}}`
