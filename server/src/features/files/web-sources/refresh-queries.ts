import type { DocumentArtifact } from '@noema/contracts/documents.ts'
import { webPageGone } from '@noema/contracts/web-sources.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { DueKey, DuePage } from '../../../shared/concurrency/leased-work.ts'
import { roleInBrain, toPerson } from '../../../storage/brain-access.ts'
import { hasConfirmedOwner } from '../../../storage/confirmed-owner.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { selectDueKeys } from '../../../storage/lease-queries.ts'
import { worksAt } from '../../../storage/working-keys.ts'
import type { NarrowBrains } from '../../kernel/leases/lease-queries.ts'
import type { Validators } from './get-page.ts'

// The statements of the work on web sources: which are due, their pages, and what was fetched.

/** Active Brains with a web source that is due, of some. */
export const brainsWithDueSources = (narrow: NarrowBrains, now: Date): RawBuilder<unknown> => sql`
  select brain.brain_id, next.due_at as due from brains as brain cross join lateral (
    select due_at from web_sources as source where source.brain_id = brain.brain_id and due_at is not null
    order by due_at limit 1) as next
  where brain.deleted_at is null and brain.availability = 'active' and next.due_at <= ${now}
    and ${narrow(sql`brain.brain_id`)}`

/** Selects Brains with a web source that is due, by number. */
export const selectBrainsWithDueSources = (page: DuePage): RawBuilder<DueKey> =>
  selectDueKeys({ table: 'web_sources', key: 'brain_id' }, page)

/** A source that is due. */
export type DueSource = {
  brainId: number
  name: string
  id: string
  revision: number
  refreshHours: number | null
  createdAt: Date
  author: Actor
}

/** The source of a Brain that is due first. */
export const selectDueSource = async (db: Queryable, brainId: number, now: Date): Promise<DueSource | undefined> => {
  const { rows } = await sql<DueSource>`
    select brain_id as "brainId", name, id, revision, refresh_hours as "refreshHours", created_at as "createdAt", author
    from web_sources where brain_id = ${brainId} and due_at <= ${now} order by due_at, name limit 1`.execute(db)
  return rows[0]
}

/** The organization of an author, for the caps, and whether the author may still write to the Brain and manage it. */
export type Standing = {
  tier: 'free' | 'business' | 'enterprise' | 'staff'
  verified: boolean
  mayWrite: boolean
  isRestricted: boolean
}

const isManager = (brainId: number, userId: RawBuilder<unknown>) =>
  sql`${roleInBrain(sql`${brainId}::bigint`, userId)} = 'manager'`

/** The standing of the author of a source; undefined if the organization ended. A key that was rotated is still the author. */
export const selectStanding = async (
  db: Queryable,
  { brainId, author }: Pick<DueSource, 'brainId' | 'author'>,
  { organizationId, now }: { organizationId: string; now: Date },
): Promise<Standing | undefined> => {
  const { type, id, line = id } = author
  const { rows } = await sql<Standing>`
    select organization.tier, ${hasConfirmedOwner(sql`organization.id`)} as verified,
      exists (select 1 from restricted_brains as restricted where restricted.brain_id = ${brainId}) as "isRestricted",
      ${
        type === 'session'
          ? sql`exists (select 1 from member where "organizationId" = organization.id and "userId" = ${id}
              and ${isManager(brainId, sql`member."userId"`)})`
          : sql`(exists (select 1 from management_keys as key
                join member on member."organizationId" = key.organization_id and member."userId" = key.created_by
              where key.id = ${id} and key.organization_id = organization.id and ${worksAt(now)}
                and ${isManager(brainId, sql`key.created_by`)})
            or exists (select 1 from brain_keys as key
              where key.brain_id = ${brainId} and coalesce(key.line, key.id) = ${line} and ${worksAt(now)}
                and key.capabilities @> array['write', 'admin'] and ${isManager(brainId, toPerson(sql`key.created_by`))}))`
      } as "mayWrite"
    from organization where id = ${organizationId} and ended_at is null`.execute(db)
  return rows[0]
}

/** Stops a source until someone changes or refreshes it. */
export const pauseSource = (
  db: Queryable,
  { brainId, name, revision }: DueSource,
  { reason, organizationId, now }: { reason: string; organizationId: string; now: Date },
) =>
  sql`update web_sources set due_at = null, paused_reason = ${reason}, failing_organization = ${organizationId},
      failing_since = coalesce(failing_since, ${now})
    where brain_id = ${brainId} and name = ${name} and revision = ${revision}`.execute(db)

/** A page to fetch. */
export type DuePageRow = Validators & {
  documentId: string
  url: string
  hash: string | null
  title: string | null
  failures: number
  missing: number
  nextAt: Date
}

/** Some pages of a source that are to be fetched now. */
export const selectDuePages = async (
  db: Queryable,
  { brainId, name }: DueSource,
  { now, limit }: { now: Date; limit: number },
): Promise<DuePageRow[]> => {
  const { rows } = await sql<DuePageRow>`
    select document_id as "documentId", url, hash, title, failures, missing, next_at as "nextAt",
      case when hash is not null or pending is not null then etag end as etag,
      case when hash is not null or pending is not null then last_modified end as "lastModified"
    from web_pages where brain_id = ${brainId} and source = ${name} and next_at <= ${now}
    order by next_at, document_id limit ${limit}`.execute(db)
  return rows
}

/** A fetched text that differs from the one that a change wrote last. */
export type Pending = {
  hash: string
  title: string | null
  contentType: string
  fetchedAt: string
  /** The address of the page, if a redirect led elsewhere. */
  finalUrl?: string
  artifact?: DocumentArtifact
}

/** The state of a page after a fetch. `pending`: undefined leaves what waits to be written, null drops it. */
export type PageState = Validators & {
  status: number | null
  error: string | null
  failures: number
  missing: number
  nextAt: Date | null
  isFetched: boolean
  title: string | null
  pending: (Pending & { text: string }) | null | undefined
}

/** Stores the state of a page after a fetch, unless the page was changed meanwhile, or another node was first. */
export const storePage = async (
  db: Queryable,
  { brainId, name }: DueSource,
  page: Pick<DuePageRow, 'documentId' | 'nextAt'>,
  { state, now }: { state: PageState; now: Date },
): Promise<void> => {
  const { pending, missing } = state
  const { text = null, ...details } = pending ?? {}
  const waiting =
    pending === undefined
      ? sql``
      : sql`, pending = ${pending ? JSON.stringify(details) : null}::json, pending_text = ${text}`
  await sql`update web_pages set checked_at = ${now}, next_at = ${state.nextAt}, status = ${state.status},
      error = ${state.error}, failures = ${state.failures}, missing = ${missing},
      missing_since = case when ${missing}::integer > 0 then coalesce(missing_since, ${now}) end,
      fetched_at = case when ${state.isFetched}::boolean then ${now}::timestamptz else fetched_at end,
      etag = ${state.etag}, last_modified = ${state.lastModified}, title = ${state.title} ${waiting}
    where brain_id = ${brainId} and source = ${name} and document_id = ${page.documentId} and next_at = ${page.nextAt}`.execute(
    db,
  )
}

const isGone = (now: Date) => sql`not is_retired and missing >= ${webPageGone.refreshes}
  and missing_since <= ${now}::timestamptz - make_interval(hours => ${webPageGone.hours})`

/** Characters of the texts of one change. A refresh with more of them makes several changes. */
const maxCharacters = 4_000_000

/** A page whose document is to be written or retired. */
export type ChangedPage = {
  documentId: string
  url: string
  isRemoved: boolean
  isGone: boolean
  pending: Pending | null
  text: string | null
}

/**
 * The pages whose documents are to be written or retired, as many as one change writes. If a large part of a source is missing at
 * once, which is more likely a fault of the site, none of these are retired.
 */
export const selectChangedPages = async (
  db: Queryable,
  { brainId, name }: Pick<DueSource, 'brainId' | 'name'>,
  now: Date,
): Promise<ChangedPage[]> => {
  const { rows } = await sql<ChangedPage>`
    with page as (
      select page.*, ${isGone(now)} as is_gone from web_pages as page where brain_id = ${brainId} and source = ${name}),
    guard as (
      select count(*) filter (where is_gone) <= greatest(50, count(*) filter (where not is_retired) / 5) as allows from page),
    changed as (
      select document_id, sum(coalesce(length(pending_text), 0)) over (order by document_id) as total,
        row_number() over (order by document_id) as number
      from page where pending is not null or is_removed or (is_gone and (select allows from guard)))
    select page.document_id as "documentId", page.url, page.is_removed as "isRemoved", page.is_gone as "isGone",
      page.pending, page.pending_text as text
    from changed join page using (document_id)
    where changed.number = 1 or (changed.total <= ${maxCharacters} and changed.number <= 1000)
    order by document_id`.execute(db)
  return rows
}

/** Locks a source until the transaction ends; false if it was deleted. */
export const lockSource = async (tx: Tx, { brainId, name }: DueSource): Promise<boolean> => {
  const { rows } =
    await sql`select 1 from web_sources where brain_id = ${brainId} and name = ${name} for update`.execute(tx)
  return rows.length > 0
}

/** The state of a page whose document was written or retired, or could not be. */
export type AppliedPage = { documentId: string; hash: string | null; isRetired: boolean; error: string | null }

type Place = Pick<DueSource, 'brainId' | 'name'>

/** Marks pages as written. One with an error is fetched and written again at the next refresh. */
export const markApplied = ({ brainId, name }: Place, pages: readonly AppliedPage[]): RawBuilder<unknown> => sql`
  update web_pages as page set hash = applied.hash, pending = null, pending_text = null, is_retired = applied."isRetired",
    error = coalesce(applied.error, page.error), etag = case when applied.hash is not null then page.etag end,
    last_modified = case when applied.hash is not null then page.last_modified end
  from json_to_recordset(${JSON.stringify(pages)}::json)
    as applied ("documentId" text, hash text, "isRetired" boolean, error text)
  where page.brain_id = ${brainId} and page.source = ${name} and page.document_id = applied."documentId"`

/** Deletes pages that were removed. */
export const dropPages = ({ brainId, name }: Place, ids: readonly string[]): RawBuilder<unknown> => sql`
  delete from web_pages where brain_id = ${brainId} and source = ${name} and is_removed
    and document_id = any(${[...ids]}::text[])`

/** Records the change of a refresh. */
export const markChanged = ({ brainId, name }: Place, change: string): RawBuilder<unknown> => sql`
  update web_sources set last_change = ${change}, problem = null where brain_id = ${brainId} and name = ${name}`

/** A page that failed so many times in a row is reported. */
const reportedFailures = 3

/**
 * Ends a refresh: the source is due again with its next page, and fails if one of its pages keeps failing. Not if someone changed it
 * meanwhile.
 */
export const endRefresh = (
  { brainId, name, revision }: DueSource,
  { organizationId, now }: { organizationId: string; now: Date },
) => sql`
  with page as (
    select min(next_at) as next_at, coalesce(max(failures), 0) >= ${reportedFailures} as is_failing
    from web_pages where brain_id = ${brainId} and source = ${name} and not is_removed)
  update web_sources set refreshed_at = ${now}, problem = null, due_at = page.next_at,
    failing_since = case when page.is_failing then coalesce(failing_since, ${now}) end,
    failing_organization = case when page.is_failing then ${organizationId} end
  from page where brain_id = ${brainId} and name = ${name} and revision = ${revision}`

/** Records why changed pages could not be written, and when to try again. */
export const recordProblem = (
  { brainId, name, revision }: DueSource,
  { problem, dueAt }: { problem: string; dueAt: Date },
) => sql`update web_sources set problem = ${problem}, due_at = ${dueAt}
  where brain_id = ${brainId} and name = ${name} and revision = ${revision}`
