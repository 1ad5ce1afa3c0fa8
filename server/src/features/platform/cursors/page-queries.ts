import { type ListOrder, maxPageBytes } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'

// Selects a page of a list: the items after a position in the list's order, and no more than a page can have.

type Column = RawBuilder<unknown>
type Ordered = { order: ListOrder }

/** The order of a list by a column. */
export const inOrder = (column: Column, { order }: Ordered) =>
  order === 'desc' ? sql`order by ${column} desc` : sql`order by ${column}`

/** The condition that a column comes after the start of a page; true for all rows if the list begins there. */
export const isAfter = (column: Column, { after, order }: Ordered & { after: unknown }) => {
  if (after === undefined) return sql`true`
  return order === 'desc' ? sql`${column} < ${after}` : sql`${column} > ${after}`
}

/** A select of rows in the order of their `place`, and the stored bytes of each. */
type SizedRows = { rows: RawBuilder<unknown>; size: RawBuilder<unknown> }

/** Rows of a list, the JSON of an item, and additional columns. */
export type ListedRows = SizedRows & { json: RawBuilder<unknown>; beside?: RawBuilder<unknown> }

type Cut = Ordered & { limit: number }

/**
 * The bytes that a page's items may have as they are stored. They can be summed up without opening an item, so that what
 * cannot fit into a page is never read. Items are compressed at rest; so ordinary pages stay far below.
 */
export const maxStoredBytes = 2 * 1024 * 1024

const toWindow = (order: ListOrder) => sql`${inOrder(sql`place`, { order })} rows unbounded preceding`

/** Cuts rows by their stored size; the first one always stays. Adds their `number` and how many were `found`. */
export const cutByStorage = ({ rows, size }: SizedRows, { limit, order }: Cut): RawBuilder<unknown> => sql`
  select * from (
    select page.*, count(*) over () as found, row_number() over (${toWindow(order)}) as number,
      sum(coalesce(${size}, 0)) over (${toWindow(order)}) as stored_bytes
    from (${rows}) as page) as sized
  where number = 1 or (number <= ${limit} and stored_bytes <= ${sql.lit(maxStoredBytes)})`

/** Cuts rows by the length that their items have when they are opened; the first one is always left. */
export const cutByLength = (
  rows: SizedRows & { length: RawBuilder<unknown> },
  { maxBytes, ...cut }: Cut & { maxBytes: number },
): RawBuilder<unknown> => sql`
  select * from (
    select stored.*, sum(${rows.length}) over (${toWindow(cut.order)}) as total
    from (${cutByStorage(rows, cut)}) as stored) as measured
  where number = 1 or total <= ${sql.lit(maxBytes)}`

/** Cuts rows to a page: the first ones whose JSON text fits, one at least. */
export const cutToPage = (
  { json, beside, ...sized }: ListedRows,
  { maxBytes = maxPageBytes, ...cut }: Cut & { maxBytes?: number },
): RawBuilder<unknown> => sql`
  select place, found, ${json} as json ${beside ? sql`, ${beside}` : sql``}
  from (${cutByLength({ ...sized, length: sql`octet_length(${json})` }, { ...cut, maxBytes })}) as fitting`
