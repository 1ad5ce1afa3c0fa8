import { maxSearched } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import { firstIdAt, type IdPrefix } from '../../../shared/ids.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from './cursors.ts'
import { inOrder } from './page-queries.ts'

// Searches lists of an organization by words, along the index that orders them. An index of words would be shared by all
// organizations, so that one could make the searches of others slow. A page looks at a bounded number of rows instead, and says
// where it stopped.

/** Stored bytes of texts that one page looks at. They are compressed, so a text is also cut before its letters are compared. */
export const maxSearchedBytes = 1024 * 1024
const maxCharacters = 10_000
const maxWords = 10

type Column = RawBuilder<unknown>

/** The part of a text that is searched. */
export const toStart = (text: Column): Column => sql`left(${text}, ${sql.lit(maxCharacters)})`

const toPattern = (word: string): string => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** The condition that a text has all words of another, in any case. */
export const hasWords = (text: Column, words: string): Column => {
  const patterns = words.split(/\s+/).slice(0, maxWords).map(toPattern)
  return sql`lower(${text}) like all (select lower(word) from unnest(${patterns}::text[]) as word)`
}

type TimeRange = { from?: string | undefined; until?: string | undefined }

/** The condition that an id was made within a time. */
export const isMadeIn = (prefix: IdPrefix, id: Column, { from, until }: TimeRange): Column => sql`
  ${from === undefined ? sql`true` : sql`${id} >= ${firstIdAt(prefix, new Date(from))}`}
  and ${until === undefined ? sql`true` : sql`${id} < ${firstIdAt(prefix, new Date(until))}`}`

/** Rows by their `id`, the stored size of what is searched in each, its text, and the condition that it must meet. */
type Searched = { rows: Column; size: Column; isFound: Column }

/** The ids that a search found for a page, one more than it has if there are; and where it stopped, unless it read all. */
type Found = { ids: string[]; stoppedAt: string | null }

/** A page of items that a search found. */
export type SearchedPage<Item> = Found & { rows: Item[] }

/** Ends the page of a search: at its last item, or at the place where the search stopped. */
export const endSearch = <Item extends { id: string }>(
  { rows, ids, stoppedAt }: SearchedPage<Item>,
  limit: number,
): { shown: Item[]; last: string | undefined; hasMore: boolean } => {
  const shown = rows.slice(0, limit)
  const isWhole = shown.length === ids.length
  const last = (isWhole && stoppedAt) || shown.at(-1)?.id
  return { shown, last, hasMore: !isWhole || stoppedAt !== null }
}

/** Ends the page of a list that was read with one item more than it has. */
export const endList = <Item extends { id: string }>(rows: readonly Item[], limit: number) => {
  const shown = rows.slice(0, limit)
  return { shown, last: shown.at(-1)?.id, hasMore: rows.length > limit }
}

/** Searches rows in the order of their ids, from the start of a page on. */
export const searchRows = async (
  db: Queryable,
  { rows, size, isFound }: Searched,
  page: PageRequest<string>,
): Promise<Found> => {
  const order = inOrder(sql`id`, page)
  const { rows: read } = await sql<Found>`
    with next as (${rows} ${order} limit ${sql.lit(maxSearched + 1)}),
    sized as (select next.*, row_number() over (${order}) as number,
      sum(${size}) over (${order} rows unbounded preceding) as stored from next),
    searched as materialized (select * from sized
      where number = 1 or (number <= ${sql.lit(maxSearched)} and stored <= ${sql.lit(maxSearchedBytes)})),
    found as (select id from searched where ${isFound} ${order} limit ${page.limit})
    select coalesce((select json_agg(id) from found), '[]') as ids,
      case when (select count(*) from searched) < (select count(*) from next)
        then (select id from searched ${inOrder(sql`id`, { order: page.order === 'desc' ? 'asc' : 'desc' })} limit 1) end
        as "stoppedAt"`.execute(db)
  return read[0] ?? { ids: [], stoppedAt: null }
}
