import type { BrainRole } from '@noema/contracts/access.ts'
import type { AppCapability } from '@noema/contracts/apps.ts'
import { type RawBuilder, sql } from 'kysely'
import { hidesBrain, isShown, roleInBrain, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type AppRow = { id: string; clientId: string; name: string; redirectUris: string[]; createdAt: Date }

export type GrantRow = {
  id: string
  appId: string
  brainNumber: number | null
  brainId: string | null
  handle: string | null
  capabilities: AppCapability[]
  userId: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date
  revokedAt: Date | null
}

const appColumns = sql`app.id, app."clientId", coalesce(app.name, app."clientId") as name, app."redirectUris", app."createdAt"`

const grantColumns = sql`id, app_id as "appId", brain_id as "brainNumber", brain as "brainId", handle, capabilities,
  created_by as "userId", created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt",
  revoked_at as "revokedAt"`

/** The grants of apps in an organization that a viewer may see: rows of keys. Those of a deleted Brain are gone. */
export const selectGrantsIn = (organizationId: RawBuilder<unknown>, viewer?: Viewer) => sql`(
  select key.id, key.app_id, key.brain_id, brain.id as brain, brain.handle, key.capabilities, key.created_by, key.created_at,
    key.last_used_at, key.expires_at, key.revoked_at
  from brain_directory as brain join brain_keys as key on key.brain_id = brain.brain_id and key.app_id is not null
  where brain.organization_id = ${organizationId} and brain.deleted_at is null
    and ${isShown(sql`brain.brain_id`, viewer)}
  union all
  select key.id, key.app_id, null, null, null, key.capabilities, key.created_by, key.created_at, key.last_used_at,
    key.expires_at, key.revoked_at
  from management_keys as key where key.organization_id = ${organizationId} and key.app_id is not null)`

/** An app by the client_id of OAuth. It is not forgotten until the transaction ends. */
export const holdApp = async (tx: Queryable, clientId: string): Promise<AppRow | undefined> => {
  const { rows } = await sql<AppRow>`
    select ${appColumns} from "oauthClient" as app where "clientId" = ${clientId} for share`.execute(tx)
  return rows[0]
}

/** Whose grants are read, and the viewer who may see them. */
type GrantsOf = { organizationId: string; viewer: Viewer }

/** A page of the apps that have grants in an organization; with `appId` only that one. */
export const selectApps = async (
  db: Queryable,
  { organizationId, viewer, appId }: GrantsOf & { appId?: string },
  page: PageRequest<string>,
): Promise<AppRow[]> => {
  const { rows } = await sql<AppRow>`
    select ${appColumns} from "oauthClient" as app
    where app.id in (select app_id from ${selectGrantsIn(sql`${organizationId}`, viewer)} as key)
      and ${appId === undefined ? sql`true` : sql`app.id = ${appId}`}
      and ${isAfter(sql`app.id`, page)} ${inOrder(sql`app.id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

const maxGrants = 100

/** The newest grants of each of these apps in an organization, and rather those that are not revoked. */
export const selectGrants = async (
  db: Queryable,
  { organizationId, viewer }: GrantsOf,
  appIds: readonly string[],
): Promise<GrantRow[]> => {
  const { rows } = await sql<GrantRow>`
    select ${grantColumns}
    from (
      select key.*, row_number() over (partition by app_id order by (revoked_at is null) desc, id desc) as place
      from ${selectGrantsIn(sql`${organizationId}`, viewer)} as key where app_id = any(${[...appIds]})) as numbered
    where place <= ${maxGrants} order by id desc`.execute(db)
  return rows
}

/** One grant of an app in an organization. */
export const selectGrant = async (
  db: Queryable,
  { organizationId, viewer, appId }: GrantsOf & { appId: string },
  id: string,
): Promise<GrantRow | undefined> => {
  const { rows } = await sql<GrantRow>`
    select ${grantColumns}
    from ${selectGrantsIn(sql`${organizationId}`, viewer)} as key where app_id = ${appId} and id = ${id}`.execute(db)
  return rows[0]
}

type Grant = Pick<GrantRow, 'id' | 'brainNumber'>

const toTable = ({ brainNumber }: Grant) => sql.table(brainNumber === null ? 'management_keys' : 'brain_keys')
const isGrant = ({ id, brainNumber }: Grant) =>
  brainNumber === null ? sql`id = ${id}` : sql`brain_id = ${brainNumber} and id = ${id}`

/** Locks a grant until the transaction ends, and answers what it may do; undefined if it was revoked. */
export const lockGrant = async (tx: Tx, grant: Grant): Promise<AppCapability[] | undefined> => {
  const { rows } = await sql<{ capabilities: AppCapability[] }>`
    select capabilities from ${toTable(grant)} where ${isGrant(grant)} and revoked_at is null for update`.execute(tx)
  return rows[0]?.capabilities
}

/** Sets the capabilities of a grant. */
export const updateCapabilities = (tx: Tx, grant: Grant, capabilities: readonly AppCapability[]) =>
  sql`update ${toTable(grant)} set capabilities = ${[...capabilities]}::text[] where ${isGrant(grant)}`.execute(tx)

/** Revokes a grant and removes its tokens. */
export const endGrant = async (tx: Tx, grant: Grant, now: Date): Promise<void> => {
  await sql`update ${toTable(grant)} set revoked_at = ${now} where ${isGrant(grant)}`.execute(tx)
  await sql`delete from "oauthRefreshToken" where "referenceId" = ${grant.id}`.execute(tx)
  await sql`delete from "oauthAccessToken" where "referenceId" = ${grant.id}`.execute(tx)
}

/** A key is a grant that works: its app's member is still one, and its Brain is there. */
const worksAt = (now: Date) => sql`key.revoked_at is null and key.expires_at > ${now}`

/** When a grant ends that works now; undefined for any other. */
export const findGrantEnd = async (db: Queryable, id: string, now: Date): Promise<Date | undefined> => {
  const { rows } = await sql<{ expiresAt: Date }>`
    select key.expires_at as "expiresAt" from brain_keys as key
      join brain_directory as brain on brain.brain_id = key.brain_id and brain.deleted_at is null
      join organization on organization.id = brain.organization_id and organization.ended_at is null
      join member on member."organizationId" = organization.id and member."userId" = key.created_by
    where key.id = ${id} and key.app_id is not null and ${worksAt(now)}
    union all
    select key.expires_at from management_keys as key
      join organization on organization.id = key.organization_id and organization.ended_at is null
      join member on member."organizationId" = organization.id and member."userId" = key.created_by
    where key.id = ${id} and key.app_id is not null and ${worksAt(now)}`.execute(db)
  return rows[0]?.expiresAt
}

/** The apps that are let in anywhere in these organizations. */
export const selectConnected = async (db: Queryable, userId: string, now: Date) => {
  const { rows } = await sql<{ clientId: string; name: string; redirectUris: string[] }>`
    with mine as (select "organizationId" as id from member where "userId" = ${userId}),
    granted as (
      select key.app_id from brain_directory as brain join brain_keys as key on key.brain_id = brain.brain_id
      where brain.organization_id in (select id from mine) and brain.deleted_at is null and key.app_id is not null
        and ${worksAt(now)}
      union select key.app_id from management_keys as key
      where key.organization_id in (select id from mine) and key.app_id is not null and ${worksAt(now)})
    select "clientId", coalesce(name, "clientId") as name, "redirectUris" from "oauthClient"
    where id in (select app_id from granted) order by id limit 1000`.execute(db)
  return rows
}

/** The organizations of a person, with their live Brain of a handle if there is one that is open to the person. */
export const selectPlaces = async (db: Queryable, userId: string, handle: string | undefined) => {
  const { rows } = await sql<{ id: string; name: string; brain: string | null }>`
    select organization.id, organization.name, brain.handle as brain
    from member join organization on organization.id = member."organizationId" and organization.ended_at is null
    left join brain_directory as brain on brain.organization_id = organization.id and brain.handle = ${handle ?? null}
      and brain.deleted_at is null and not ${hidesBrain(sql`brain.brain_id`, userId)}
    where member."userId" = ${userId} order by organization.name, organization.id limit 500`.execute(db)
  return rows
}

/** Handles of live Brains that are open to a person, some of many. */
export const selectHandles = async (db: Queryable, userId: string, organizationIds: readonly string[]) => {
  const { rows } = await sql<{ organizationId: string; handle: string }>`
    select organization_id as "organizationId", handle from brain_directory
    where organization_id = any(${[...organizationIds]}) and deleted_at is null
      and not ${hidesBrain(sql`brain_directory.brain_id`, userId)}
    order by organization_id, handle limit 1000`.execute(db)
  return rows
}

/** Revokes grants whose app can no longer use them: it never fetched its tokens, let them expire, or lost them to a replay. */
export const endUnusedGrants = (db: Queryable, { now, before }: { now: Date; before: Date }) => {
  const isUnused = sql`key.app_id is not null and key.revoked_at is null and key.created_at < ${before}
    and not exists (select 1 from "oauthRefreshToken" as token where token."referenceId" = key.id
      and token.revoked is null and token."expiresAt" > ${now})
    and not exists (select 1 from "oauthAccessToken" as token where token."referenceId" = key.id
      and token.revoked is null and token."expiresAt" > ${now})`
  return Promise.all([
    sql`update brain_keys as key set revoked_at = ${now} where ${isUnused}`.execute(db),
    sql`update management_keys as key set revoked_at = ${now} where ${isUnused}`.execute(db),
  ])
}

/** Deletes tokens that expired. A used refresh token stays until then, so that a second use is noticed. */
export const deleteExpiredTokens = async (db: Queryable, now: Date): Promise<void> => {
  for (const table of ['oauthAccessToken', 'oauthRefreshToken'])
    await sql`delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where "expiresAt" <= ${now} order by "expiresAt" limit 1000)`.execute(db)
}

/** Deletes apps from before `before` that have had no grant since then. */
export const deleteUnusedApps = (db: Queryable, before: Date) => {
  const grantIn = (table: 'brain_keys' | 'management_keys') => sql`exists (select 1 from ${sql.table(table)} as key
    where key.app_id = app.id and (key.revoked_at is null or key.revoked_at > ${before}) and key.expires_at > ${before})`
  return sql`delete from "oauthClient" where id in (
    select app.id from "oauthClient" as app where app."createdAt" < ${before}
      and not ${grantIn('brain_keys')} and not ${grantIn('management_keys')}
    order by app."createdAt" limit 1000 for update skip locked)`.execute(db)
}

/** Deletes apps that had grants and have none in any state now: nothing of those who let them in is left, so neither are they. */
export const deleteOrphanedApps = (db: Queryable) =>
  sql`delete from "oauthClient" where id in (
    select app.id from "oauthClient" as app
    where exists (select 1 from "oauthRefreshToken" as token where token."clientId" = app."clientId")
      and not exists (select 1 from brain_keys as key where key.app_id = app.id)
      and not exists (select 1 from management_keys as key where key.app_id = app.id)
    limit 1000 for update skip locked)`.execute(db)

/** The number of a live Brain by its handle, and a person's role in it; none if it is not open to them. */
export const findOpenBrain = async (
  db: Queryable,
  { organizationId, handle, userId }: { organizationId: string; handle: string; userId: string },
): Promise<{ brainId: number; role: BrainRole } | undefined> => {
  const { rows } = await sql<{ brainId: number; role: BrainRole | null }>`
    select brain_id as "brainId", ${roleInBrain(sql`brain_directory.brain_id`, sql`${userId}::text`)} as role
    from brain_directory
    where organization_id = ${organizationId} and handle = ${handle} and deleted_at is null`.execute(db)
  const [found] = rows
  return found && found.role !== null ? { brainId: found.brainId, role: found.role } : undefined
}
