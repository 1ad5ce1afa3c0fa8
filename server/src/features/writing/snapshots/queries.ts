import type { PlanOp, Snapshot } from '@noema/contracts/snapshots.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { DocumentDetails } from '../../knowledge/documents/content.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'
import type { PlannedItem } from './plan.ts'

/** A snapshot as it is kept. */
export type SnapshotRow = {
  id: string
  source: string
  status: Snapshot['status']
  complete: boolean
  planRevision: number
  counts: Record<PlanOp, number>
  served: number
  createdAt: Date
  plannedAt: Date
  appliedAt: Date | null
  planHash: string | null
  reviewChange: string | null
  answerCode: number | null
  answer: string | null
}

const columns = sql`id, source_name as source, status, complete, plan_revision as "planRevision",
  json_build_object('add', add_count, 'update', update_count, 'retire', retire_count, 'unchanged', unchanged_count,
    'conflict', conflict_count) as counts,
  served_count as served, created_at as "createdAt", planned_at as "plannedAt", applied_at as "appliedAt",
  plan_hash as "planHash", review_change as "reviewChange", answer_status as "answerCode", answer`

/** One snapshot of a source. */
export const selectSnapshot = async (db: Queryable, brainId: number, source: string, id: string) => {
  const { rows } = await sql<SnapshotRow>`select ${columns} from snapshots
    where brain_id = ${brainId} and id = ${id} and source_name = ${source}`.execute(db)
  return rows[0]
}

/** The same, kept from being forgotten until the transaction ends. */
export const lockSnapshot = async (tx: Tx, brainId: number, source: string, id: string) => {
  const { rows } = await sql<SnapshotRow>`select ${columns} from snapshots
    where brain_id = ${brainId} and id = ${id} and source_name = ${source} for update`.execute(tx)
  return rows[0]
}

/** A page of a source's snapshots. */
export const selectSnapshotsAfter = async (
  db: Queryable,
  brainId: number,
  source: string,
  page: PageRequest<string>,
) => {
  const { rows } = await sql<SnapshotRow>`select ${columns} from snapshots
    where brain_id = ${brainId} and source_name = ${source} and ${isAfter(sql`id`, page)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Writes a snapshot, new or again. */
export const upsertSnapshot = (brainId: number, row: SnapshotRow): RawBuilder<unknown> => sql`
  insert into snapshots as snapshot (brain_id, id, source_name, status, complete, plan_revision, add_count, update_count,
    retire_count, unchanged_count, conflict_count, served_count, created_at, planned_at, applied_at, plan_hash,
    review_change, answer_status, answer)
  values (${brainId}, ${row.id}, ${row.source}, ${row.status}, ${row.complete}, ${row.planRevision}, ${row.counts.add},
    ${row.counts.update}, ${row.counts.retire}, ${row.counts.unchanged}, ${row.counts.conflict}, ${row.served},
    ${row.createdAt}::timestamptz, ${row.plannedAt}::timestamptz, ${row.appliedAt}::timestamptz,
    ${row.planHash}::text, ${row.reviewChange}::text,
    ${row.answerCode}::integer, ${row.answer}::text)
  on conflict (brain_id, id) do update set status = excluded.status, complete = excluded.complete,
    plan_revision = excluded.plan_revision, add_count = excluded.add_count, update_count = excluded.update_count,
    retire_count = excluded.retire_count, unchanged_count = excluded.unchanged_count,
    conflict_count = excluded.conflict_count, served_count = excluded.served_count, planned_at = excluded.planned_at,
    applied_at = excluded.applied_at, plan_hash = excluded.plan_hash, review_change = excluded.review_change,
    answer_status = excluded.answer_status, answer = excluded.answer`

/** The change that an apply of this source staged with exactly these writes, the newest first. */
export const selectStagedChange = async (tx: Tx, brainId: number, source: string, planHash: string) => {
  const { rows } = await sql<{ change: string }>`select review_change as change from snapshots
    where brain_id = ${brainId} and source_name = ${source} and plan_hash = ${planHash} and review_change is not null
    order by id desc limit 1`.execute(tx)
  return rows[0]?.change
}

/** An item as it is kept; a document that is to be retired has no hash, details or text. */
export type StoredItem = PlannedItem & { hash: string | null; length: number; details: DocumentDetails | null }

/** The items of a snapshot by id, with the plan of each and without their texts. */
export const selectItems = async (tx: Tx, brainId: number, snapshot: string): Promise<StoredItem[]> => {
  const { rows } = await sql<StoredItem>`
    select id, op, title, base_version as "baseVersion", other_source as "otherSource", hash, length, details
    from snapshot_items where brain_id = ${brainId} and snapshot = ${snapshot} order by id`.execute(tx)
  return rows
}

/** The documents that a plan serves, with their texts, and those that it retires. */
export const selectWrites = async (tx: Tx, brainId: number, snapshot: string) => {
  const { rows } = await sql<{ id: string; op: PlanOp; details: DocumentDetails | null; text: string | null }>`
    select id, op, details, text from snapshot_items
    where brain_id = ${brainId} and snapshot = ${snapshot} and op in ('add', 'update', 'retire') order by id`.execute(
    tx,
  )
  return rows
}

const itemType = sql`(id text, op text, title text, "baseVersion" integer, "otherSource" text, hash text, length integer,
  details json, text text)`

/** Keeps items, new or in place of those with the same ids. */
export const upsertItems = (
  brainId: number,
  snapshot: string,
  items: readonly (StoredItem & { text: string | null })[],
): RawBuilder<unknown> => sql`
  insert into snapshot_items
    (brain_id, snapshot, id, op, title, base_version, other_source, hash, length, details, text)
  select ${brainId}::bigint, ${snapshot}, id, op, title, "baseVersion", "otherSource", hash, length, details, text
  from json_to_recordset(${JSON.stringify(items)}::json) as row ${itemType}
  on conflict (brain_id, snapshot, id) do update set op = excluded.op, title = excluded.title,
    base_version = excluded.base_version, other_source = excluded.other_source, hash = excluded.hash,
    length = excluded.length, details = excluded.details, text = excluded.text`

/** Plans items again; documents without an earlier plan are those to be retired. */
export const upsertPlans = (
  brainId: number,
  snapshot: string,
  items: readonly PlannedItem[],
): RawBuilder<unknown> => sql`
  insert into snapshot_items (brain_id, snapshot, id, op, title, base_version, other_source)
  select ${brainId}::bigint, ${snapshot}, id, op, title, "baseVersion", "otherSource"
  from json_to_recordset(${JSON.stringify(items)}::json) as row ${itemType}
  on conflict (brain_id, snapshot, id) do update set op = excluded.op, base_version = excluded.base_version,
    other_source = excluded.other_source`

/** Drops items: retirements that are off. */
export const deleteItems = (brainId: number, snapshot: string, ids: readonly string[]): RawBuilder<unknown> => sql`
  delete from snapshot_items where brain_id = ${brainId} and snapshot = ${snapshot} and id = any(${[...ids]})`

/** Drops the texts of a snapshot that has no more use for them, all but those of items that are written just now. */
export const dropTexts = (brainId: number, snapshot: string, except: readonly string[]): RawBuilder<unknown> => sql`
  update snapshot_items set text = null, details = null
  where brain_id = ${brainId} and snapshot = ${snapshot} and id <> all(${[...except]})
    and (text is not null or details is not null)`

/** Rows of a plan by document id. */
export const itemsAfter = (
  brainId: number,
  snapshot: string,
  op: PlanOp | undefined,
  page: PageRequest<string>,
): ListedRows => ({
  rows: sql`select id as place, id, op, title, base_version, other_source
    from snapshot_items where brain_id = ${brainId} and snapshot = ${snapshot} and ${isAfter(sql`id`, page)}
      ${op === undefined ? sql`` : sql`and op = ${op}`}
    ${inOrder(sql`id`, page)} limit ${page.limit}`,
  size: sql`pg_column_size(title)`,
  json: sql`json_build_object('id', id, 'op', op, 'title', title, 'baseVersion', base_version,
    'otherSource', other_source)::text`,
})

type Forgettable = { brainId: number; id: string; isApplied: boolean; plannedAt: string }

/** Snapshots that are no longer needed: old ones, and all but the newest few unapplied ones of a source. */
export const selectForgettable = async (
  db: Queryable,
  { before, newest, limit }: { before: Date; newest: number; limit: number },
): Promise<Forgettable[]> => {
  const { rows } = await sql<Forgettable>`
    select brain_id as "brainId", id, status = 'applied' as "isApplied", planned_at::text as "plannedAt" from (
      select brain_id, id, status, planned_at,
        row_number() over (partition by brain_id, source_name, status = 'applied' order by id desc) as rank
      from snapshots where keeps_items) as snapshot
    where planned_at < ${before} or (status <> 'applied' and rank > ${newest})
    order by planned_at limit ${limit}`.execute(db)
  return rows
}

/** Forgets a snapshot's items, and the snapshot where it was not applied, in one statement; not one that was planned again. */
export const forgetSnapshot = (db: Queryable, { brainId, id, isApplied, plannedAt }: Forgettable) =>
  sql`
  with found as (
    select id from snapshots where brain_id = ${brainId} and id = ${id} and (status = 'applied') = ${isApplied}
      and planned_at = ${plannedAt}::timestamptz for update skip locked),
  items as (delete from snapshot_items where brain_id = ${brainId} and snapshot in (select id from found)),
  forgotten as (delete from snapshots where brain_id = ${brainId} and id in (select id from found) and not ${isApplied})
  update snapshots set keeps_items = false
  where brain_id = ${brainId} and id in (select id from found) and ${isApplied}`.execute(db)
