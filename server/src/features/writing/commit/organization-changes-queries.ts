import type { Application, Decision } from '@noema/contracts/changes.ts'
import { application as applications, decision as decisions } from '@noema/contracts/changes.ts'
import { type RawBuilder, sql } from 'kysely'
import { isRowShown, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByStorage } from '../../platform/cursors/page-queries.ts'
import {
  type ChangeItem,
  fromRecord,
  type ListedChange,
  summaryColumns,
  type Target,
  type Times,
} from './change-store.ts'

/** A place in the list of an organization's changes: an id, which an import can give to changes of two Brains, and the Brain. */
export type ChangePosition = [id: string, brainId: number]

/** A change with its Brain, and what is shown of it before it is opened. */
export type OrganizationChangeRow = ListedChange & {
  brainId: number
  brain: { id: string; handle: string; name: string | null; schemaVersion: number; requireEval: string | null }
  operations: Record<string, number>
  targets: (Target & { name?: string })[]
  /** The items of a change that is not applied, as long as those of a page are short; null otherwise. */
  items: ChangeItem[] | null
}

/** Whose changes are listed: those of an organization, or those of one Brain of it. */
export type ChangeFilter = {
  organizationId: string
  brainId?: number | undefined
  decision?: Decision | undefined
  application?: Application | undefined
  ids?: readonly string[] | undefined
  viewer?: Viewer
}

/** One page reads at most this much of proposals, as JSON text. */
const maxOpenedBytes = 512 * 1024

/** The decisions and applications that a filter selects. An applied change was approved. */
const listStandings = ({ decision, application }: ChangeFilter) =>
  applications.options
    .filter((one) => application === undefined || one === application)
    .flatMap((one) =>
      (one === 'applied' ? (['approved'] as const) : decisions.options)
        .filter((other) => decision === undefined || other === decision)
        .map((other) => ({ application: one, decision: other })),
    )

const toDirection = ({ order }: PageRequest<ChangePosition>): RawBuilder<unknown> =>
  order === 'desc' ? sql`desc` : sql`asc`

const isAfterPosition = ({ after, order }: PageRequest<ChangePosition>): RawBuilder<unknown> => {
  if (after === undefined) return sql`true`
  const [id, brainId] = after
  return order === 'desc'
    ? sql`(id, brain_id) < (${id}, ${brainId}::bigint)`
    : sql`(id, brain_id) > (${id}, ${brainId}::bigint)`
}

/**
 * The places of a page. Each decision with each application is read along its own stretch of an index, so that a rare one is
 * found without a look at the others. They are written into the statement: an index that has some of them alone is used only
 * where the planner sees that it may be.
 */
const selectPlaces = (filter: ChangeFilter, page: PageRequest<ChangePosition>): RawBuilder<unknown> => {
  const direction = toDirection(page)
  const inOrder = sql`order by id ${direction}, brain_id ${direction} limit ${page.limit + 1}`
  const owner =
    filter.brainId === undefined ? sql`organization_id = ${filter.organizationId}` : sql`brain_id = ${filter.brainId}`
  const parts = listStandings(filter).map(
    ({ decision, application }) => sql`(select id, brain_id from changes
      where ${owner} and application = ${sql.lit(application)}
        ${application === 'applied' ? sql`` : sql`and application <> 'applied' and decision = ${sql.lit(decision)}`}
        ${filter.ids === undefined ? sql`` : sql`and id = any(${[...filter.ids]}::text[])`} and ${isAfterPosition(page)}
        and (select deleted_at is null from brains where brains.brain_id = changes.brain_id)
        and ${isRowShown(sql`changes.brain_id`, filter.organizationId, filter.viewer, 'reviewer')} ${inOrder})`,
  )
  return sql`select * from (${sql.join(parts, sql` union all `)}) as found ${inOrder}`
}

type Row = Omit<OrganizationChangeRow, keyof Times> & Times & { found: number }

const maxNameLength = 200

/** The target of an item with the name that its operation gives it. An applied change is named by its content. */
const namedTarget = sql`json_strip_nulls(json_build_object('type', item->'target'->'type', 'id', item->'target'->'id',
  'kind', item->'target'->'kind', 'name', (select left(value #>> '{}', ${sql.lit(maxNameLength)})
    from unnest(array[item->'operation'->'fields'->'name', item->'operation'->'fields'->'title',
      item->'operation'->'title', item->'operation'->'slug']) with ordinality as given (value, place)
    where json_typeof(value) = 'string' order by place limit 1)))`

/** A page of the changes of an organization by id, and how many were found for it. */
export const selectOrganizationChanges = async (
  db: Queryable,
  filter: ChangeFilter,
  page: PageRequest<ChangePosition>,
): Promise<{ changes: OrganizationChangeRow[]; found: number }> => {
  if (listStandings(filter).length === 0) return { changes: [], found: 0 }
  const direction = toDirection(page)
  const rows = sql`select row_number() over (order by change.id ${direction}, change.brain_id ${direction}) as place, change.*,
      brain.public_id, brain.handle, brain.name, brain.schema_version, brain.required_eval
    from (${selectPlaces(filter, page)}) as place join changes as change
      on change.brain_id = place.brain_id and change.id = place.id
    join (select brain_id, id as public_id, handle, name, schema_version, review_rules->>'requireEval' as required_eval
      from brains) as brain on brain.brain_id = place.brain_id`
  const cut = cutByStorage({ rows, size: sql`pg_column_size(items)` }, { limit: page.limit, order: 'asc' })
  const { rows: read } = await sql<Row>`
    select ${summaryColumns}, brain_id as "brainId", found, json_array_length(change.items) as "itemCount",
      (select coalesce(json_object_agg(op, items), '{}') from (select item->>'op' as op, count(*) as items
        from json_array_elements(change.items) as item group by item->>'op' order by item->>'op') as counted) as operations,
      (select coalesce(json_agg(${namedTarget} order by number), '[]')
        from json_array_elements(change.items) with ordinality as item (item, number) where number <= 3) as targets,
      json_build_object('id', public_id, 'handle', handle, 'name', name, 'schemaVersion', schema_version,
        'requireEval', required_eval) as brain,
      case when application <> 'applied' and opened <= ${maxOpenedBytes} then items end as items
    from (select *, sum(case when application = 'applied' then 0 else octet_length(items::text) end)
        over (order by place) as opened from (${cut}) as cut) as change
    order by place`.execute(db)
  return { changes: read.map(({ found, ...row }) => fromRecord(row)), found: read[0]?.found ?? 0 }
}

/** Counts the applied changes of an organization in stretches of ids, up to a maximum in each. */
export const countAppliedChanges = async (
  db: Queryable,
  organizationId: string,
  { ranges, max, viewer }: { ranges: readonly { fromId: string; toId: string }[]; max: number; viewer: Viewer },
): Promise<number[]> => {
  if (ranges.length === 0) return []
  const stretches = ranges.map(
    ({ fromId, toId }, place) => sql`select ${sql.lit(place)} as place, count(*) as count from (select 1 from changes
      where organization_id = ${organizationId} and application = 'applied' and id >= ${fromId} and id < ${toId}
        and ${isRowShown(sql`changes.brain_id`, organizationId, viewer)} limit ${max}) as one`,
  )
  const { rows } = await sql<{ count: number }>`${sql.join(stretches, sql` union all `)} order by place`.execute(db)
  return rows.map(({ count }) => count)
}
