import { maxPageBytes } from '@noema/contracts/common.ts'
import type { Receipt } from '@noema/contracts/receipts.ts'
import { sql } from 'kysely'
import type { ReceiptsByTier } from '../../../config/tiers.ts'
import { hasConfirmedOwner } from '../../../storage/confirmed-owner.ts'
import type { Queryable, RunPrepared } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { StoredItems } from './served.ts'

/** A receipt in its stored form. Its id is the UUID of the one in the API. */
export type ReceiptRow = Pick<Receipt, 'consumerId' | 'operation' | 'stateVersion'> & {
  id: string
  at: Date
  served: StoredItems
}

export type NewReceipt = ReceiptRow & { brainId: number; items: readonly { key: string; version: number }[] }

/** The columns of receipts to insert, and those of their items. */
type NewColumns = {
  brainIds: number[]
  ids: string[]
  times: string[]
  states: number[]
  operations: string[]
  consumers: (string | null)[]
  served: string[]
  itemBrains: number[]
  itemKeys: string[]
  itemReceipts: string[]
  itemVersions: number[]
}

/** Inserts receipts of any Brains that still exist, with their items. Returns the ids of those that were inserted. */
const insertReceipts = defineStatement(
  (row: NewColumns) => sql<{ id: string }>`
    with added as (
      insert into receipts (brain_id, id, at, state_version, operation, consumer_id, served)
      select row.brain_id, row.id, row.at, row.state_version, row.operation, row.consumer_id, row.served::json
      from unnest(${row.brainIds}::bigint[], ${row.ids}::uuid[], ${row.times}::timestamptz[], ${row.states}::bigint[],
        ${row.operations}::text[], ${row.consumers}::text[], ${row.served}::text[])
        as row (brain_id, id, at, state_version, operation, consumer_id, served)
      join brains as brain on brain.brain_id = row.brain_id and brain.deleted_at is null
      returning id),
    items as (
      insert into receipt_items (brain_id, item, receipt, version)
      select row.brain_id, row.item, row.receipt, row.version
      from unnest(${row.itemBrains}::bigint[], ${row.itemKeys}::bigint[], ${row.itemReceipts}::uuid[],
        ${row.itemVersions}::integer[]) as row (brain_id, item, receipt, version)
      join brains as brain on brain.brain_id = row.brain_id and brain.deleted_at is null)
    select id from added`,
)

/** Stores many receipts in one statement. Returns for each whether its Brain still existed. */
export const storeReceipts =
  (prepared: RunPrepared) =>
  async (rows: readonly NewReceipt[]): Promise<boolean[]> => {
    const items = rows.flatMap(({ brainId, id, items: ofOne }) => ofOne.map((item) => ({ brainId, id, ...item })))
    const statement = insertReceipts({
      brainIds: rows.map(({ brainId }) => brainId),
      ids: rows.map(({ id }) => id),
      times: rows.map(({ at }) => at.toISOString()),
      states: rows.map(({ stateVersion }) => stateVersion),
      operations: rows.map(({ operation }) => operation),
      consumers: rows.map(({ consumerId }) => consumerId),
      served: rows.map(({ served }) => JSON.stringify(served)),
      itemBrains: items.map(({ brainId }) => brainId),
      itemKeys: items.map(({ key }) => key),
      itemReceipts: items.map(({ id }) => id),
      itemVersions: items.map(({ version }) => version),
    })
    const stored = new Set((await prepared(statement)).map(({ id }) => id))
    return rows.map(({ id }) => stored.has(id))
  }

const columns = sql`receipt.id, at, state_version as "stateVersion", operation, consumer_id as "consumerId", served`

/** The ids among these that are receipts of a Brain. */
export const selectKnownReceipts = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
): Promise<string[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`select id from receipts
    where brain_id = ${brainId} and id = any(${[...ids]}::uuid[])`.execute(db)
  return rows.map(({ id }) => id)
}

/** One receipt of a Brain. */
export const selectReceipt = async (db: Queryable, brainId: number, id: string) => {
  const { rows } = await sql<ReceiptRow>`select ${columns} from receipts as receipt
    where brain_id = ${brainId} and id = ${id}::uuid`.execute(db)
  return rows[0]
}

/** A consumer's newest receipt before an id. */
export const selectReceiptBefore = async (db: Queryable, brainId: number, consumerId: string, before: string) => {
  const { rows } = await sql<{ id: string }>`select id from receipts
    where brain_id = ${brainId} and consumer_id = ${consumerId} and id < ${before}::uuid
    order by id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** The filter of receipts. `items` are keys of items, all of which a receipt must have served. */
export type ReceiptFilter = { consumerId?: string | undefined; items: readonly string[] }

export type ReceiptPage = {
  rows: ReceiptRow[]
  /** The number of receipts that were examined, and the last of them. */
  examined: number
  last: string | null
  /** The number that pass the filter, which may be more than the page holds. */
  fitting: number
}

/** The factor by which a page's items are larger than stored ones, at most, since each says how it changed; and the maximum of a page. */
const shownPerStored = 20
const maxServedBytes = maxPageBytes / shownPerStored

/**
 * A page of receipts by id. Candidates come in order from one index: of the first item, else of the consumer, else of all. At most
 * `reach` of them are examined. The page has the first `limit` that pass the whole filter, as far as there is space for their items.
 */
export const selectReceiptPage = async (
  db: Queryable,
  brainId: number,
  { consumerId, items: [first, ...others] }: ReceiptFilter,
  { reach, ...page }: PageRequest<string> & { reach: number },
): Promise<ReceiptPage> => {
  const isDescending = page.order === 'desc'
  const window = sql`${inOrder(sql`fit.id`, page)} rows unbounded preceding`
  const ofConsumer = consumerId === undefined ? sql`` : sql`and consumer_id = ${consumerId}`
  const candidates =
    first === undefined
      ? sql`select id from receipts where brain_id = ${brainId} and ${isAfter(sql`id`, page)} ${ofConsumer}`
      : sql`select receipt as id from receipt_items
          where brain_id = ${brainId} and item = ${first}::bigint and ${isAfter(sql`receipt`, page)}`
  const { rows } = await sql<{ examined: number; last: string | null; fitting: number } & (ReceiptRow | { id: null })>`
    with candidate as materialized (${candidates} ${inOrder(sql`1`, page)} limit ${reach})
    select examined.*, found.* from (
      select count(*) as examined, (array_agg(id ${inOrder(sql`id`, { order: isDescending ? 'asc' : 'desc' })}))[1] as last from candidate) as examined
    left join lateral (
      select fit.*, count(*) over () as fitting, row_number() over (${window}) as number,
        sum(octet_length(served::text)) over (${window}) as bytes
      from (select ${columns} from candidate join receipts as receipt
        on receipt.brain_id = ${brainId} and receipt.id = candidate.id
      where (select count(*) from receipt_items as item where item.brain_id = ${brainId}
        and item.item = any(${others}::bigint[]) and item.receipt = candidate.id) = ${others.length} ${ofConsumer}
      ${inOrder(sql`receipt.id`, page)} limit ${page.limit}) as fit) as found
      on found.number = 1 or found.bytes <= ${sql.lit(maxServedBytes)}
    ${inOrder(sql`found.id`, page)}`.execute(db)
  return {
    rows: rows.flatMap((row) => (row.id === null ? [] : [row])),
    examined: rows[0]?.examined ?? 0,
    last: rows[0]?.last ?? null,
    fitting: rows[0]?.fitting ?? 0,
  }
}

/** Versions of an item that receipts may have served. */
export type VersionRange = { item: string; from: number; to: number }

/** The consumers of any of these versions, each with its newest receipts. */
export const selectConsumers = async (
  db: Queryable,
  brainId: number,
  ranges: readonly VersionRange[],
  receiptsEach: number,
) => {
  const { rows } = await sql<{ consumerId: string | null; receipts: string[] }>`
    select receipt.consumer_id as "consumerId",
      (array_agg(distinct receipt.id order by receipt.id desc))[1:${sql.lit(receiptsEach)}]::text[] as receipts
    from json_to_recordset(${JSON.stringify(ranges)}::json) as range (item bigint, "from" integer, "to" integer)
    join receipt_items as item on item.brain_id = ${brainId} and item.item = range.item
      and item.version between range."from" and range."to"
    join receipts as receipt on receipt.brain_id = ${brainId} and receipt.id = item.receipt
    group by receipt.consumer_id order by receipt.consumer_id nulls last`.execute(db)
  return rows
}

/** Deletes receipts before an id, some of each Brain's oldest at once. */
export const deleteReceiptsBefore = async (tx: Queryable, before: string, atOnce: number) => {
  const { rows } = await sql<{ brainId: number; id: string; served: StoredItems }>`
    with old as (
      select oldest.brain_id, oldest.id from brains as brain cross join lateral (
        select brain_id, id from receipts where brain_id = brain.brain_id and id < ${before}::uuid
        order by id limit ${atOnce}) as oldest
      limit ${atOnce})
    delete from receipts as receipt using old where receipt.brain_id = old.brain_id and receipt.id = old.id
    returning receipt.brain_id as "brainId", receipt.id, receipt.served`.execute(tx)
  return rows
}

/** The estimate of the database for all receipts; negative if there is no estimate yet. */
export const estimateAll = async (db: Queryable): Promise<number> => {
  const { rows } = await sql<{ estimate: number }>`select reltuples as estimate from pg_class
    where oid = 'receipts'::regclass`.execute(db)
  return rows[0]?.estimate ?? -1
}

/**
 * The next Brain that has receipts, and the newest of its receipts beyond the maximum of its organization's tier. A Brain that cannot
 * have so many is not counted. A Brain that is being erased has no tier and is left alone.
 */
export const selectBeyond = async (
  db: Queryable,
  { after, receiptsByTier, most }: { after: number; receiptsByTier: ReceiptsByTier; most: number },
) => {
  const { rows: next } = await sql<{ brainId: number; max: number | null }>`
    with next as materialized (select min(brain_id) as brain_id from receipts where brain_id > ${after})
    select next.brain_id as "brainId", (${JSON.stringify(receiptsByTier)}::json->>case
        when organization.tier = 'staff' or ${hasConfirmedOwner(sql`organization.id`)} then organization.tier
        else 'unverified' end)::bigint as max
    from next left join (brain_directory as brain join organization on organization.id = brain.organization_id)
      on brain.brain_id = next.brain_id
    where next.brain_id is not null`.execute(db)
  const [found] = next
  if (!found || found.max === null || found.max >= most) return found && { brainId: found.brainId, last: null }
  const { rows } = await sql<{ last: string }>`select id as last from receipts where brain_id = ${found.brainId}
    order by id desc offset ${found.max} limit 1`.execute(db)
  return { brainId: found.brainId, last: rows[0]?.last ?? null }
}

/** Deletes some of a Brain's oldest receipts, up to one. */
export const deleteReceiptsUpTo = async (
  tx: Queryable,
  { brainId, last, limit }: { brainId: number; last: string; limit: number },
) => {
  const { rows } = await sql<{ brainId: number; id: string; served: StoredItems }>`
    delete from receipts where brain_id = ${brainId} and id in (
      select id from receipts where brain_id = ${brainId} and id <= ${last}::uuid order by id limit ${limit})
    returning brain_id as "brainId", id, served`.execute(tx)
  return rows
}

/** Deletes the items of receipts. */
export const deleteItems = (tx: Queryable, rows: readonly { brainId: number; item: string; receipt: string }[]) =>
  sql`delete from receipt_items as item
    using json_to_recordset(${JSON.stringify(rows)}::json) as row ("brainId" bigint, item bigint, receipt uuid)
    where item.brain_id = row."brainId" and item.item = row.item and item.receipt = row.receipt`.execute(tx)
