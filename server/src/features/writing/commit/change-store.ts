import type { Application, ChangeRef, Decision } from '@noema/contracts/changes.ts'
import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import { actorColumn } from '../../../storage/actor-columns.ts'
import type { Queryable } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { timeText } from '../../kernel/export-lines/export-line-queries.ts'
import type { LinePage } from '../../kernel/export-lines/types.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import { type LoadBudget, type Measured, maxLoadedBytes, takeFrom } from '../../kernel/versioning/load-budget.ts'
import type { ContentType, ResolvedOperation } from '../../kernel/versioning/types.ts'
import { selectWithin } from '../../kernel/versioning/version-columns-queries.ts'
import type { Tag } from '../../knowledge/schema/evolve.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByStorage, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** The subject of one item of a change. */
export type Target = { type: ContentType | 'schema'; id: string; kind?: string }

/**
 * One operation of a change: its target, the version that it found (`base`) and the one that it made (`made`). The operation
 * itself is stored if it may have to be applied later. The versions of a schema change are the schema's, and its preview is the
 * one of its proposal.
 */
export type ChangeItem = {
  item: string
  op: ResolvedOperation['op'] | 'schema.evolve'
  target: Target
  base: number | null
  made: number | null
  operation?: ResolvedOperation
  evolve?: SchemaOperation
  tag?: Tag
  violations?: number
  violationsAtLeast?: boolean
}

/** A change as it is kept. Times are ISO text. */
export type StoredChange = {
  id: string
  decision: Decision
  application: Application
  stagedBy: Actor
  reason: string | null
  corrects: string | null
  supersedes: string | null
  baseState: number
  stateVersion: number | null
  items: ChangeItem[]
  decidedBy: Actor | null
  decidedAt: string | null
  decisionReason: string | null
  publishAt: string | null
  blockedBy: string | null
  /** Of a staged write: a hash of the request and its caller. */
  writeHash?: string | null
  /** Of a write or a decision that is traced: its span, packed. */
  trace?: string
  createdAt: string
  /** The comments of one that comes with an export; others are written apart. */
  comments?: readonly StoredComment[]
}

/** A comment as it is kept. */
export type StoredComment = { id: string; text: string; by: Actor; at: string }

/** A change that is not decided yet, or needs no decision. */
export const undecided = {
  reason: null,
  corrects: null,
  supersedes: null,
  decidedBy: null,
  decidedAt: null,
  decisionReason: null,
  publishAt: null,
  blockedBy: null,
  writeHash: null,
}

export const toRef = ({ id, decision, application }: StoredChange): ChangeRef => ({ id, decision, application })

export type Times = { decidedAt: Date | null; publishAt: Date | null; createdAt: Date }
type ChangeRecord = Omit<StoredChange, keyof Times> & Times

/** A change as lists have it: its items alone are counted. */
export type ListedChange = Omit<StoredChange, 'items'> & { itemCount: number }

// Two columns hold an ordinary key and its person. Any other actor is stored whole.
const stagedBy = sql`coalesce(submitted_by_actor,
  json_strip_nulls(json_build_object('type', 'key', 'id', submitted_by, 'userId', submitted_by_user)))`
const decidedBy = actorColumn(sql`decided_by`, sql`decided_by_actor`)
const toColumns = (toTime: (column: RawBuilder<unknown>) => RawBuilder<unknown>) => sql`
  id, decision, application, ${stagedBy} as "stagedBy", reason,
  corrects, supersedes, base_state as "baseState", state_version as "stateVersion", ${decidedBy} as "decidedBy",
  ${toTime(sql`decided_at`)} as "decidedAt", decision_reason as "decisionReason", ${toTime(sql`publish_at`)} as "publishAt",
  blocked_by as "blockedBy", encode(write_hash, 'hex') as "writeHash", ${toTime(sql`created_at`)} as "createdAt"`

/** The columns of a change as lists have it, but for its items. */
export const summaryColumns = toColumns((column) => column)

/** The times of a row as text. */
export const fromRecord = <Row extends Times>(row: Row) => ({
  ...row,
  decidedAt: row.decidedAt?.toISOString() ?? null,
  publishAt: row.publishAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
})

const selectByIds = defineStatement<
  { brainId: number; ids: readonly string[]; budget: number },
  Measured<StoredChange>
>(
  ({ brainId, ids, budget }) => sql<Measured<StoredChange>>`
    select ${toColumns(timeText)}, ${selectWithin(budget, sql`octet_length(items::text)`, { items: sql`items` })}
    from changes where brain_id = ${brainId} and id = any(${ids}::text[])`,
)

/** The changes of these ids. Throws where they exceed the budget. */
export const selectChanges = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  budget: LoadBudget = { left: maxLoadedBytes },
): Promise<readonly StoredChange[]> => {
  if (ids.length === 0) return []
  const found = await runStatement(db, selectByIds({ brainId, ids, budget: budget.left }))
  return takeFrom(budget, found).map(({ size: _size, ...change }) => change)
}

/** The pending changes that were staged by writes of these hashes. */
export const selectPendingWrites = async (
  db: Queryable,
  brainId: number,
  hashes: readonly string[],
): Promise<StoredChange[]> => {
  if (hashes.length === 0) return []
  const { rows } = await sql<ChangeRecord>`select ${summaryColumns}, items from changes
    where brain_id = ${brainId} and decision = 'pending'
      and write_hash = any(select decode(hex, 'hex') from unnest(${[...hashes]}::text[]) as hex)`.execute(db)
  return rows.map(fromRecord)
}

type Filter = { decision?: Decision | undefined; application?: Application | undefined }

/** A page of changes by id, and how many were found for it. It opens no more proposals than a page may have. */
export const selectChangePage = async (
  db: Queryable,
  brainId: number,
  filter: Filter,
  page: PageRequest<string>,
): Promise<{ changes: ListedChange[]; found: number }> => {
  const { decision } = filter
  // Only what is approved can be more than not applied. Said so, one index has the queue in its order.
  const application = filter.application ?? (decision && decision !== 'approved' ? 'not_applied' : undefined)
  const listed = sql`select id as place, * from changes
    where brain_id = ${brainId} and ${isAfter(sql`id`, page)}
      ${decision === undefined ? sql`` : sql`and decision = ${decision}`}
      ${application === undefined ? sql`` : sql`and application = ${application}`}
    ${inOrder(sql`id`, page)} limit ${page.limit + 1}`
  const { rows } = await sql<Omit<ListedChange, keyof Times> & Times & { found: number }>`
    select ${summaryColumns}, json_array_length(items) as "itemCount", found
    from (${cutByStorage({ rows: listed, size: sql`pg_column_size(items)` }, page)}) as change
    ${inOrder(sql`place`, page)}`.execute(db)
  return { changes: rows.map(({ found, ...row }) => fromRecord(row)), found: rows[0]?.found ?? 0 }
}

/** Corrections and splits are followed back over at most this many changes. */
const maxAncestors = 50

/**
 * The runs that caused changes: a run wrote the change, or the change that it corrects, or the one that it was split from. So a
 * person's decision on the change of a run counts as the run's.
 */
export const selectCausingRuns = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<{ change: string; runId: string }[]> => {
  const { rows } = await sql<{ change: string; runId: string }>`
    with recursive line as (
      select id as asked, submitted_by_actor->>'runId' as run, corrects, supersedes, 1 as depth from changes
      where brain_id = ${brainId} and id = any(${[...ids]}::text[])
      union
      select line.asked, change.submitted_by_actor->>'runId', change.corrects, change.supersedes, line.depth + 1
      from line join changes as change
        on change.brain_id = ${brainId} and change.id = any(array[line.corrects, line.supersedes])
      where line.depth < ${maxAncestors})
    select distinct asked as change, run as "runId" from line where run is not null order by asked, run`.execute(db)
  return rows
}

/** The scheduled changes of a Brain whose time has come, the earliest first. */
export const selectDueChanges = async (db: Queryable, brainId: number, now: Date, limit: number) => {
  const { rows } = await sql<{ id: string }>`select id from changes
    where brain_id = ${brainId} and application = 'scheduled' and publish_at <= ${now}
    order by publish_at, id limit ${limit}`.execute(db)
  return rows
}

/** Brains with scheduled changes whose time has come, of some. */
export const brainsWithDueChanges = (narrow: NarrowBrains, now: Date): RawBuilder<unknown> => sql`
  select brain.brain_id, next.publish_at as due from brains as brain cross join lateral (
    select publish_at from changes as change
    where change.brain_id = brain.brain_id and application = 'scheduled' order by publish_at limit 1) as next
  where brain.deleted_at is null and next.publish_at <= ${now} and ${narrow(sql`brain.brain_id`)}`

/** Brains with scheduled changes whose time has come, by number. */
export const selectBrainsWithDueChanges = (page: DuePage): RawBuilder<DueKey> =>
  selectDueKeys({ table: 'changes', key: 'brain_id', due: 'publish_at', where: sql`application = 'scheduled'` }, page)

/** The changes of a Brain that wait for a hold to be released. */
export const selectHeldChanges = async (db: Queryable, brainId: number) => {
  const { rows } = await sql<{ id: string }>`select id from changes
    where brain_id = ${brainId} and decision = 'approved' and application = 'blocked' and blocked_by = 'held'
    order by id`.execute(db)
  return rows
}

/** Brains that are not held and have changes that a hold had blocked, of some. */
export const brainsWithReleasedChanges = (narrow: NarrowBrains): RawBuilder<unknown> => sql`
  select brain.brain_id, null::timestamptz as due from (
    select distinct change.brain_id from changes as change
    where application = 'blocked' and blocked_by = 'held' and ${narrow(sql`change.brain_id`)}) as held
  join brains as brain on brain.brain_id = held.brain_id and brain.availability = 'active' and brain.deleted_at is null`

/** Changes as lines of an export. */
export const changeLines = ({ brainId, after = [''], take }: LinePage): RawBuilder<unknown> => sql`
  select array[id] as key, '{"change":' || left(row_to_json(stored)::text, -1) ||
    coalesce(',"comments":' || (select comments from changes as change
      where change.brain_id = ${brainId} and change.id = stored.id)::text, '') || '}}' as line from (
    select id, decision, application, submitted_by as "submittedBy", submitted_by_user as "submittedByUser",
      ${stagedBy} as "stagedBy", reason, corrects, supersedes, base_state as "baseState", state_version as "stateVersion", items,
      decided_by as "decidedBy", ${decidedBy} as "decidedByActor",
      ${timeText(sql`decided_at`)} as "decidedAt", decision_reason as "decisionReason",
      ${timeText(sql`publish_at`)} as "publishAt", blocked_by as "blockedBy", ${timeText(sql`created_at`)} as "createdAt"
    from changes where brain_id = ${brainId} and id > ${after[0]} order by id limit ${take}) as stored`
