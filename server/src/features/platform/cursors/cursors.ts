import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { ListOrder } from '@noema/contracts/common.ts'
import { refuseAt } from '../../../shared/errors.ts'

// Lists and streams are read in pages. A cursor contains the position of a page's end. It belongs to one list of one scope,
// and only the owner of the scope's key can make a valid one (EVT-09). Its format never changes: stored events and readers
// have cursors.

/** The scope of a cursor: a Brain by its number and its own random key, or an organization by its own key. */
export type CursorScope = { brainId?: number; cursorKey: Buffer }

export type CursorPosition = string | number | (string | number)[]

/** A position in a list with a name: another list refuses the cursor. */
export type Cursor = { scope: CursorScope; list: string; place: CursorPosition }

const macCharacters = 12

/** Replaces a Brain's number in a cursor. */
const noBrain = 0

/**
 * 72 bits of SHA-256 over the scope's key and the payload. Cutting the hash is what makes a plain prefix key enough: a
 * longer payload cannot be derived from it. (An HMAC object costs ten times as much, once for each event.)
 */
const computeMac = (payload: string, key: Buffer): string =>
  hash('sha256', key.toString('hex') + payload, 'base64url').slice(0, macCharacters)

/** Makes an opaque cursor. */
export const encodeCursor = ({ scope, list, place }: Cursor): string => {
  const payload = JSON.stringify([list, scope.brainId ?? noBrain, place])
  return computeMac(payload, scope.cursorKey) + Buffer.from(payload).toString('base64url')
}

/** The content of a cursor, which is trustworthy if the scope's key signed it. */
export type DecodedCursor = { list: unknown; brainId: unknown; place: unknown; isMadeBy(key: Buffer): boolean }

/** Takes a cursor apart without trusting it; undefined where it is not even shaped like one. */
export const decodeCursor = (text: string): DecodedCursor | undefined => {
  const mac = text.slice(0, macCharacters)
  const encoded = text.slice(macCharacters)
  const bytes = Buffer.from(encoded, 'base64url')
  // A text with the same bytes in another spelling is not the original cursor.
  if (mac.length < macCharacters || bytes.length === 0 || bytes.toString('base64url') !== encoded) return undefined
  const payload = bytes.toString('utf8')
  try {
    const [list, brainId, place] = JSON.parse(payload)
    return { list, brainId, place, isMadeBy: (key) => isSame(mac, computeMac(payload, key)) }
  } catch {
    return undefined
  }
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The refusal of a cursor that this list did not give. */
export const badCursor = () =>
  refuseAt(
    ['after'],
    'This is not a cursor of this list. Pass a cursor from an earlier response, or leave it out to start at the beginning.',
  )

/** Returns the scope of an organization's own lists, with a key derived from the service's secret. */
export const createListScopes = (secret: string): ((organizationId: string) => CursorScope) => {
  const listKey = createHmac('sha256', secret).update('organization lists').digest()
  return (organizationId) => ({ cursorKey: createHmac('sha256', listKey).update(organizationId).digest() })
}

/** A list that is read in pages, and the position before its first item. */
export type List<Place extends CursorPosition> = {
  scope: CursorScope
  list: string
  start: Place
  /** Throws where more can be said of a cursor of another scope than that this list did not give it. */
  refuse?(cursor: DecodedCursor): Promise<void>
}

/** Returns the position in a cursor of this list, of any type. */
export const openCursor = async (
  { scope, list, refuse }: Omit<List<CursorPosition>, 'start'>,
  text: string,
): Promise<unknown> => {
  const cursor = decodeCursor(text)
  if (!cursor || cursor.list !== list) throw badCursor()
  if (cursor.brainId !== (scope.brainId ?? noBrain)) {
    await refuse?.(cursor)
    throw badCursor()
  }
  if (!cursor.isMadeBy(scope.cursorKey)) throw badCursor()
  return cursor.place
}

/** Returns the position after which a page begins: that of its cursor, which has the type of `start`, or the start. */
export const openPosition = async <Place extends CursorPosition>(
  list: List<Place>,
  after: string | undefined,
): Promise<Place> => {
  const place = after === undefined ? list.start : await openCursor(list, after)
  if (typeof place !== typeof list.start) throw badCursor()
  return place as Place
}

/** A list as it is read in an order. From last to first it is another list, whose cursors are its own. */
export const inListOrder = <Place extends CursorPosition>(list: List<Place>, order: ListOrder): List<Place> =>
  order === 'desc' ? { ...list, list: `desc ${list.list}` } : list

/** The query of a page. */
export type PageQuery = { after?: string | undefined; limit: number; order: ListOrder }

/** The request of a page: the position to begin after (undefined: at the beginning), and the maximum number of items. */
export type PageRequest<Place extends CursorPosition> = { after: Place | undefined; limit: number; order: ListOrder }

/** A page of a list in an order: its start, and the form of the position that its read needs. */
export const openPage = async <Place extends CursorPosition>(
  given: List<Place>,
  { after, order }: Pick<PageQuery, 'after' | 'order'>,
): Promise<{ list: List<Place>; begin: Place; after: Place | undefined }> => {
  const list = inListOrder(given, order)
  const begin = await openPosition(list, after)
  return { list, begin, after: begin === list.start ? undefined : begin }
}

type Page<Item> = { items: Item[]; cursor: string; hasMore: boolean }

/** Returns the cursor of a page: the position of its last item, or its start. */
export const endPage = <Place extends CursorPosition>(
  { list, begin }: { list: List<Place>; begin: Place },
  last: Place | undefined,
): string => encodeCursor({ ...list, place: last ?? begin })

/** Reads a page of a list. One additional item shows whether more follow. */
export const readListPage = async <Item, Place extends CursorPosition>(
  given: List<Place>,
  query: PageQuery,
  read: (page: PageRequest<Place>) => Promise<readonly Item[]>,
  toPlace: (item: Item) => Place,
): Promise<Page<Item>> => {
  const { limit, order } = query
  const page = await openPage(given, query)
  const found = await read({ after: page.after, limit: limit + 1, order })
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, cursor: endPage(page, last && toPlace(last)), hasMore: found.length > limit }
}
