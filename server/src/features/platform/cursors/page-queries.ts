import { type ListOrder, maxPageBytes } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'

// How a page of a list is selected: what comes after a place in the list's order, and no more of it than a page holds.

type Column = RawBuilder<unknown>
type Ordered = { order: ListOrder }

/** The order of a list by a column. */
export const inOrder = (column: Column, { order }: Ordered) =>
  order === 'desc' ? sql`order by ${column} desc` : sql`order by ${column}`

/** The condition that a column comes after the place where a page begins; everything does where the list begins. */
export const isAfter = (column: Column, { after, order }: Ordered & { after: unknown }) => {
  if (after === undefined) return sql`true`
  return order === 'desc' ? sql`${column} < ${after}` : sql`${column} > ${after}`
}

/**
 * A select of `place` and of all that is needed to show an item, in order; what of it may be long; how it is shown; and
 * columns to be answered beside.
 */
export type ListedRows = {
  rows: RawBuilder<unknown>
  item: Column
  json: RawBuilder<unknown>
  beside?: RawBuilder<unknown>
}

/** A row of a page: `found` is how many rows there were before the page was cut. */
export type PageRow = { place: string | number; json: string; found: number }

/**
 * The bytes that a page's items may have as they are stored. They can be summed up without opening an item, so that what
 * cannot fit into a page is never read. Items are compressed at rest; so ordinary pages stay far below.
 */
const maxStoredBytes = 4 * 1024 * 1024

const toWindow = ({ order }: Ordered) => sql`${inOrder(sql`place`, { order })} rows unbounded preceding`

/** Cuts rows by what their items take at rest; the first one is always left. Adds their `number` and how many were `found`. */
export const cutByStorage = (
  { rows, item }: Pick<ListedRows, 'rows' | 'item'>,
  { limit, order }: Ordered & { limit: number },
): RawBuilder<unknown> => {
  const window = toWindow({ order })
  return sql`select * from (
    select page.*, count(*) over () as found, row_number() over (${window}) as number,
      sum(pg_column_size(${item})) over (${window}) as size
    from (${rows}) as page) as sized
  where number = 1 or (number <= ${limit} and size <= ${sql.lit(maxStoredBytes)})`
}

/** Cuts rows to a page: the first ones whose JSON text fits, one at least. */
export const cutToBytes = (
  listed: ListedRows,
  { limit, order, maxBytes = maxPageBytes }: Ordered & { limit: number; maxBytes?: number },
): RawBuilder<unknown> => {
  const { json, beside } = listed
  return sql`
    select place, found, ${json} as json ${beside ? sql`, ${beside}` : sql``} from (
      select stored.*, sum(octet_length(${json})) over (${toWindow({ order })}) as total
      from (${cutByStorage(listed, { limit, order })}) as stored) as measured
    where number = 1 or total <= ${sql.lit(maxBytes)}`
}
