import { type RawBuilder, sql } from 'kysely'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { validAt } from './version-store.ts'

// Pages of an earlier state. Later versions are mixed into the order of a list, in any number. Usually the next versions of
// the list fill a page. Otherwise, if few versions had begun by then, they are read by the state that they began in; if
// there are many, a page reads along the list and skips a limited number of versions.

type Listed = {
  table: string
  brainId: number
  asOf: number
  /** The columns of a version that a page needs. */
  columns: RawBuilder<unknown>
  /** Narrows the list to versions that an index has by id. */
  among?: RawBuilder<unknown>
  /** Another condition on a version. */
  asked?: RawBuilder<unknown>
}

/** The maximum number of versions that are read by their states, and that a page skips along the list. */
export type PageReach = { begun: number; passed: number }

const defaultReach: PageReach = { begun: 5_000, passed: 20_000 }
/** Versions of the list that are read for each item of a page before the other ways. */
const readPerItem = 3

/**
 * Items by id as of a state: `place`, the columns, and `stopped` if the page skipped its maximum of versions. The row there
 * is empty unless the item matches.
 */
export const versionsAt = (
  { table, brainId, asOf, columns, among = sql`true`, asked = sql`true` }: Listed,
  page: PageRequest<string>,
  { begun, passed }: PageReach = defaultReach,
): RawBuilder<unknown> => {
  const versions = sql.table(table)
  const { limit, order } = page
  const backwards = { order: order === 'desc' ? 'asc' : 'desc' } as const
  const listed = sql`brain_id = ${brainId} and ${isAfter(sql`id`, page)} and ${among}`
  const requested = sql`${validAt(asOf)} and ${asked}`
  const inPage = sql`${inOrder(sql`id`, page)} limit ${limit}`
  const isBegun = sql`brain_id = ${brainId} and from_state <= ${asOf}`
  const read = limit * readPerItem
  // Twice as far as it takes where the rest of the list is like its beginning.
  const far = sql`${2 * read * limit}::bigint / greatest((select count(*) from near), 1)`
  // The conditions on other steps decide whether a step is begun at all.
  return sql`
    with near as materialized (
      select id as place, ${columns} from (
        select * from ${versions} where ${listed} ${inOrder(sql`id`, page)} limit ${read}) as next
      where ${requested} ${inPage}),
    sparse as materialized (select where (select count(*) from near) < ${limit}),
    crowded as materialized (
      select from ${versions} where exists (select 1 from sparse) and ${isBegun} order by from_state offset ${begun} limit 1),
    early as materialized (
      select id as place, ${columns} from (
        select * from ${versions} where ${isBegun} order by from_state limit ${begun}) as begun
      where exists (select 1 from sparse) and not exists (select 1 from crowded) and ${listed} and ${requested} ${inPage}),
    reached as materialized (
      select id from ${versions} where exists (select 1 from crowded) and ${listed}
      ${inOrder(sql`id`, page)} offset least(${Math.max(passed, limit)}::bigint, ${far}) - 1 limit 1),
    last as materialized (
      select coalesce((select id from reached), (select id from ${versions} where ${listed}
        ${inOrder(sql`id`, backwards)} limit 1)) as id
      where exists (select 1 from crowded)),
    walked as materialized (
      select id as place, ${columns} from ${versions}
      where exists (select 1 from crowded) and ${listed} and ${requested}
        and ${order === 'desc' ? sql`id >= (select id from last)` : sql`id <= (select id from last)`} ${inPage})
    select near.*, false as stopped from near where not exists (select 1 from sparse)
    union all select early.*, false from early
    union all select walked.*, place is not distinct from (select id from reached) from walked
    union all select reached.id, version.*, true from reached
      left join lateral (select ${columns} from ${versions} where false) as version on true
      where (select count(*) from walked) < ${limit} and reached.id not in (select place from walked)
    ${inOrder(sql`place`, page)}`
}
