import type { SharedPart } from '@noema/contracts/shared-runs.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { hidesRun, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** A link to a run. */
export type ShareRow = {
  id: string
  runId: string
  include: SharedPart[]
  createdBy: Actor
  createdAt: Date
  expiresAt: Date
  views: number
  lastViewedAt: Date | null
  revokedAt: Date | null
}

type ShareKey = { organizationId: string; id: string }
type RunKey = { organizationId: string; id: string }

const columns = sql`id, run_id as "runId", include, created_by as "createdBy", created_at as "createdAt",
  expires_at as "expiresAt", views, last_viewed_at as "lastViewedAt", revoked_at as "revokedAt"`

/** Locks the links of an organization until the transaction ends, so that their maximum is exact. */
export const lockShares = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`run shares ${organizationId}`}, 0))`.execute(tx)

/** The number of links that work. */
export const countShares = async (db: Queryable, organizationId: string, now: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from run_shares
    where organization_id = ${organizationId} and revoked_at is null and expires_at > ${now}`.execute(db)
  return rows[0]?.count ?? 0
}

type NewShare = Pick<ShareRow, 'id' | 'runId' | 'include' | 'createdBy' | 'createdAt' | 'expiresAt'>

export const insertShare = async (db: Queryable, organizationId: string, share: NewShare): Promise<ShareRow> => {
  const { id, runId, include, createdBy, createdAt, expiresAt } = share
  const { rows } = await sql<ShareRow>`
    insert into run_shares (organization_id, id, run_id, include, created_by, created_at, expires_at)
    values (${organizationId}, ${id}, ${runId}, ${JSON.stringify(include)}, ${JSON.stringify(createdBy)}, ${createdAt},
      ${expiresAt}) returning ${columns}`.execute(db)
  const [row] = rows
  if (!row) throw new Error('A link was not inserted.')
  return row
}

/** Deletes links that ended before a time: their audit entries stay. */
export const deleteEndedShares = (db: Queryable, organizationId: string, before: Date) =>
  sql`delete from run_shares where organization_id = ${organizationId}
    and least(expires_at, coalesce(revoked_at, expires_at)) < ${before}`.execute(db)

/** A link; undefined if there is none. */
export const selectShare = async (db: Queryable, { organizationId, id }: ShareKey): Promise<ShareRow | undefined> => {
  const { rows } = await sql<ShareRow>`select ${columns} from run_shares
    where organization_id = ${organizationId} and id = ${id}`.execute(db)
  return rows[0]
}

/** A page of the links of an organization by id, which is the order in which they were made. */
export const selectShares = async (
  db: Queryable,
  { organizationId, runId, viewer }: { organizationId: string; runId: string | undefined; viewer: Viewer },
  page: PageRequest<string>,
): Promise<ShareRow[]> => {
  const ofRun = runId === undefined ? sql`` : sql`and run_id = ${runId}`
  const hides = (userId: string) => hidesRun(sql`run_shares.organization_id`, sql`run_shares.run_id`, userId)
  const { rows } = await sql<ShareRow>`select ${columns} from run_shares
    where organization_id = ${organizationId} ${ofRun} and ${isVisible(viewer, hides)} and ${isAfter(sql`id`, page)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Revokes a link; undefined if there is none. A link that was revoked before keeps its time. */
export const markRevoked = async (
  db: Queryable,
  { organizationId, id }: ShareKey,
  now: Date,
): Promise<{ runId: string; isNew: boolean } | undefined> => {
  const { rows } = await sql<{ runId: string; isNew: boolean }>`
    with before as (select revoked_at from run_shares where organization_id = ${organizationId} and id = ${id} for update)
    update run_shares set revoked_at = coalesce(run_shares.revoked_at, ${now}) from before
    where organization_id = ${organizationId} and id = ${id}
    returning run_id as "runId", before.revoked_at is null as "isNew"`.execute(db)
  return rows[0]
}

/** Counts a view. */
export const countView = (db: Queryable, { organizationId, id }: ShareKey, now: Date) =>
  sql`update run_shares set views = views + 1, last_viewed_at = ${now}
    where organization_id = ${organizationId} and id = ${id}`.execute(db)

/** True if a run could reach a Brain that was deleted since, whose contents are about to be erased. */
export const reachesDeletedBrain = async (db: Queryable, { organizationId, id }: RunKey): Promise<boolean> => {
  const { rows } = await sql<{ isDeleted: boolean }>`select exists (
    select 1 from run_brains as reached left join brain_directory as brain on brain.brain_id = reached.brain_id
    where reached.organization_id = ${organizationId} and reached.run_id = ${id}
      and (brain.brain_id is null or brain.deleted_at is not null)) as "isDeleted"`.execute(db)
  return rows[0]?.isDeleted === true
}

/** A call that a run made: its name and how it ended. */
export type SharedOperation = { name: string; status: string; type: string }

/** The first operations of a run, without their data. */
export const selectSharedOperations = async (
  db: Queryable,
  { organizationId, id }: RunKey,
  limit: number,
): Promise<SharedOperation[]> => {
  const { rows } = await sql<SharedOperation>`
    select coalesce(tool_name, name) as name, status, type from run_operations
    where organization_id = ${organizationId} and run_id = ${id} order by sequence limit ${limit}`.execute(db)
  return rows
}
