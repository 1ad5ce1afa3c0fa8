import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { forChange, type LockWait, lockingBriefly } from '../../kernel/locks/lock-queries.ts'
import { ownedTogether } from '../../kernel/usage/usage-queries.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import type { PageAddress } from './page-urls.ts'

// Web sources as people set them. `refresh-queries.ts` has the statements of the work on them.

/** A web source as it is stored, with the numbers of its pages. */
export type SourceRow = {
  name: string
  id: string
  revision: number
  refreshHours: number | null
  author: Actor
  createdAt: Date
  updatedAt: Date
  requestedAt: Date | null
  refreshedAt: Date | null
  lastChange: string | null
  problem: string | null
  pausedReason: string | null
  total: number
  waiting: number
  failing: number
  missing: number
  nextAt: Date | null
}

const countPages = (condition: RawBuilder<unknown>) => sql`count(*) filter (where ${condition})`

const columns = sql`source.name, source.id, source.revision, source.refresh_hours as "refreshHours", source.author,
  source.created_at as "createdAt", source.updated_at as "updatedAt", source.requested_at as "requestedAt",
  source.refreshed_at as "refreshedAt", source.last_change as "lastChange", source.problem,
  source.paused_reason as "pausedReason", pages.*`

const pageCounts = sql`(
  select count(*) as total, ${countPages(sql`checked_at is null`)} as waiting,
    ${countPages(sql`error is not null and missing = 0`)} as failing, ${countPages(sql`missing > 0`)} as missing,
    min(next_at) as "nextAt"
  from web_pages as page
  where page.brain_id = source.brain_id and page.source = source.name and not page.is_removed) as pages`

/** A web source of a Brain. */
export const selectSource = async (db: Queryable, brainId: number, name: string): Promise<SourceRow | undefined> => {
  const { rows } = await sql<SourceRow>`select ${columns} from web_sources as source cross join lateral ${pageCounts}
    where source.brain_id = ${brainId} and source.name = ${name}`.execute(db)
  return rows[0]
}

/** A page of the web sources of a Brain. */
export const selectSources = async (db: Queryable, brainId: number, page: PageRequest<string>) => {
  const { rows } = await sql<SourceRow>`select ${columns} from web_sources as source cross join lateral ${pageCounts}
    where source.brain_id = ${brainId} and ${isAfter(sql`source.name`, page)}
    ${inOrder(sql`source.name`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** A web page as it is stored. */
export type PageRow = PageAddress & {
  title: string | null
  status: number | null
  error: string | null
  missing: number
  isRetired: boolean
  checkedAt: Date | null
  fetchedAt: Date | null
  nextAt: Date | null
}

/** A page of the web pages of a source. */
export const selectPages = async (db: Queryable, brainId: number, source: string, page: PageRequest<string>) => {
  const { rows } = await sql<PageRow>`
    select document_id as "documentId", url, title, status, error, missing, is_retired as "isRetired",
      checked_at as "checkedAt", fetched_at as "fetchedAt", next_at as "nextAt"
    from web_pages where brain_id = ${brainId} and source = ${source} and not is_removed
      and ${isAfter(sql`document_id`, page)} ${inOrder(sql`document_id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Locks a live Brain until the transaction ends; false if it was deleted. */
export const lockBrain = async (tx: Tx, brainId: number, wait: LockWait): Promise<boolean> => {
  const where = sql`brain.brain_id = ${brainId} and brain.deleted_at is null`
  const found = await lockingBriefly<{ brainId: number }>(tx, wait, {
    ...{ columns: sql`brain.brain_id as "brainId"`, where, lock: forChange },
  })
  return found !== undefined
}

/** The number of web sources of a Brain. */
export const countSources = async (tx: Tx, brainId: number): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from web_sources where brain_id = ${brainId}`.execute(tx)
  return rows[0]?.count ?? 0
}

/** The number of web pages of all organizations that are counted together with this one. */
export const countWebPages = async (db: Queryable, organizationId: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from web_pages as page join brains as brain using (brain_id)
    where brain.organization_id in ${ownedTogether(sql`${organizationId}::text`)} and brain.deleted_at is null
      and not page.is_removed`.execute(db)
  return rows[0]?.count ?? 0
}

/** Lets a source go on that was paused. */
const withoutPause = sql`paused_reason = null,
      failing_since = case when source.paused_reason is null then source.failing_since end,
      failing_organization = case when source.paused_reason is null then source.failing_organization end`

type GivenSource = { brainId: number; name: string; id: string; refreshHours: number | null; author: Actor; now: Date }

/** Stores a source, new or with another author and interval, and has its work begin. */
export const upsertSource = (tx: Tx, { brainId, name, id, refreshHours, author, now }: GivenSource) =>
  sql`
  insert into web_sources as source (brain_id, name, id, revision, refresh_hours, author, created_at, updated_at, due_at)
  values (${brainId}, ${name}, ${id}, 1, ${refreshHours}, ${actorValue(author)}, ${now}, ${now}, ${now})
  on conflict (brain_id, name) do update set refresh_hours = excluded.refresh_hours, author = excluded.author,
    revision = source.revision + 1, updated_at = excluded.updated_at, due_at = excluded.due_at,
      ${withoutPause}`.execute(tx)

type PagesOfSource = { brainId: number; source: string; now: Date }

/** Adds pages, to be fetched at once. One that is there stays as it is; one that was removed begins again. */
export const insertPages = async (
  tx: Tx,
  { brainId, source, now }: PagesOfSource,
  pages: readonly PageAddress[],
): Promise<number> => {
  const { rows } = await sql<{ id: string }>`
    insert into web_pages as page (brain_id, source, document_id, url, next_at)
    select ${brainId}::bigint, ${source}, given."documentId", given.url, ${now}::timestamptz
    from json_to_recordset(${JSON.stringify(pages)}::json) as given ("documentId" text, url text)
    on conflict (brain_id, source, document_id) do update
      set is_removed = false, next_at = excluded.next_at, checked_at = null, fetched_at = null, status = null, error = null,
        failures = 0, missing = 0, missing_since = null, etag = null, last_modified = null, hash = null, pending = null,
        pending_text = null
      where page.is_removed
    returning page.document_id as id`.execute(tx)
  return rows.length
}

/** Removes pages of a source: those of a list, or all but those. Their documents are retired by the next change. */
export const removePages = async (
  tx: Tx,
  { brainId, source }: PagesOfSource,
  { ids, keeps }: { ids: readonly string[]; keeps: boolean },
): Promise<number> => {
  const isMeant = keeps ? sql`document_id <> all(${[...ids]}::text[])` : sql`document_id = any(${[...ids]}::text[])`
  const { rows } = await sql<{ id: string }>`
    update web_pages set is_removed = true, next_at = null, pending = null, pending_text = null
    where brain_id = ${brainId} and source = ${source} and not is_removed and ${isMeant}
    returning document_id as id`.execute(tx)
  return rows.length
}

/** Fits the times of waiting pages to another interval: those that were fetched are fetched at its next time. */
export const moveFetches = (tx: Tx, { brainId, source, nextAt }: PagesOfSource & { nextAt: Date | null }) =>
  sql`update web_pages set next_at = ${nextAt}::timestamptz
    where brain_id = ${brainId} and source = ${source} and not is_removed and checked_at is not null`.execute(tx)

/** Has all pages of a source fetched now; a paused source gets another author. */
export const requestFetches = async (
  tx: Tx,
  { brainId, source, now, by }: PagesOfSource & { by: Actor },
): Promise<void> => {
  await sql`update web_pages set next_at = ${now}
    where brain_id = ${brainId} and source = ${source} and not is_removed`.execute(tx)
  await sql`update web_sources as source set due_at = ${now}, requested_at = ${now}, revision = revision + 1, problem = null,
      author = case when source.paused_reason is null then author else ${actorValue(by)} end, ${withoutPause}
    where brain_id = ${brainId} and name = ${source}`.execute(tx)
}

/** Deletes a source and its pages. False if there is none. */
export const removeSource = async (tx: Tx, brainId: number, name: string): Promise<boolean> => {
  const { rows } =
    await sql`delete from web_sources where brain_id = ${brainId} and name = ${name} returning id`.execute(tx)
  await sql`delete from web_pages where brain_id = ${brainId} and source = ${name}`.execute(tx)
  return rows.length > 0
}
