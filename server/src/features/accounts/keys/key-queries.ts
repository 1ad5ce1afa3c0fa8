import type { Capability } from '@noema/contracts/access.ts'
import { sql } from 'kysely'
import { isVisible, toPerson, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { worksAt } from '../../../storage/working-keys.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

type KeyRow = {
  id: string
  name: string
  prefix: string
  createdBy: string
  createdAt: Date
  expiresAt: Date | null
  revokedAt: Date | null
  lastUsedAt: Date | null
  fingerprint: Buffer | null
}
export type ManagementKeyRow = KeyRow & { organizationId: string }
export type BrainKeyRow = KeyRow & {
  capabilities: Capability[]
  replacedBy: string | null
  people: string[]
  line: string | null
}

const keyColumns = sql`id, name, prefix, created_by as "createdBy", created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", fingerprint`
const managementColumns = sql`${keyColumns}, organization_id as "organizationId"`
/** The people behind a Brain key. An older node stores none; the management key that minted it then has them. */
const peopleColumn = sql`coalesce(people, array(select minter.created_by from management_keys as minter
  where minter.id = brain_keys.created_by))`
const brainColumns = sql`${keyColumns}, capabilities, replaced_by as "replacedBy", ${peopleColumn} as people, line`

export type NewKey = {
  id: string
  hash: Buffer
  name: string
  prefix: string
  createdBy: string
  createdAt: Date
  expiresAt: Date | null
  idempotencyKey: string | null
  fingerprint: Buffer | null
}

/** The app of a key that is the grant of one; its capabilities are then its own, whichever kind of key it is. */
type AppOfKey = { appId: string; capabilities: readonly Capability[] }

/** Keys with a secret. The others are grants of apps, which are listed with their app. */
const hasSecret = sql`app_id is null`

/** Counts the management keys of an organization that work, grants of apps included. */
export const countManagementKeys = async (db: Queryable, organizationId: string, now: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from management_keys as key
    where organization_id = ${organizationId} and ${worksAt(now)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Serializes the counting of keys of an organization or a Brain until the transaction ends, so that a maximum holds exactly. */
export const lockKeyCount = (tx: Tx, of: { organizationId: string } | { brainId: number }) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`keys ${JSON.stringify(of)}`}, 0))`.execute(tx)

/** Counts the keys of a Brain that work, grants of apps included. */
export const countBrainKeys = async (db: Queryable, brainId: number, now: Date): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from brain_keys as key
    where brain_id = ${brainId} and ${worksAt(now)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** Inserts a management key unless its idempotency key was used before. */
export const insertManagementKey = async (tx: Queryable, organizationId: string, key: NewKey & Partial<AppOfKey>) => {
  const { rows } = await sql<ManagementKeyRow>`
    insert into management_keys (id, organization_id, hash, name, prefix, created_by, created_at, expires_at, idempotency_key,
      fingerprint, app_id, capabilities)
    values (${key.id}, ${organizationId}, ${key.hash}, ${key.name}, ${key.prefix}, ${key.createdBy}, ${key.createdAt},
      ${key.expiresAt}, ${key.idempotencyKey}, ${key.fingerprint}, ${key.appId ?? null},
      ${key.capabilities ? [...key.capabilities] : null}::text[])
    on conflict (organization_id, created_by, idempotency_key) where idempotency_key is not null do nothing
    returning ${managementColumns}`.execute(tx)
  return rows[0]
}

/** The management key that a member minted under an idempotency key. */
export const selectMintedManagementKey = async (
  tx: Queryable,
  owner: { organizationId: string; createdBy: string },
  idempotencyKey: string,
) => {
  const { rows } = await sql<ManagementKeyRow>`select ${managementColumns} from management_keys
    where organization_id = ${owner.organizationId} and created_by = ${owner.createdBy}
      and idempotency_key = ${idempotencyKey}`.execute(tx)
  return rows[0]
}

/** A page of an organization's management keys. */
export const selectManagementKeys = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<ManagementKeyRow>`select ${managementColumns} from management_keys
    where organization_id = ${organizationId} and ${hasSecret} and ${isAfter(sql`id`, page)} ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(
    db,
  )
  return rows
}

/** One management key of an organization. */
export const selectManagementKey = async (db: Queryable, organizationId: string, id: string) => {
  const { rows } = await sql<ManagementKeyRow>`select ${managementColumns} from management_keys
    where organization_id = ${organizationId} and id = ${id} and ${hasSecret}`.execute(db)
  return rows[0]
}

/** Revokes a management key; one that is revoked already keeps its time. */
export const markManagementKeyRevoked = async (db: Queryable, organizationId: string, id: string, now: Date) => {
  const { rows } = await sql<ManagementKeyRow>`update management_keys set revoked_at = coalesce(revoked_at, ${now})
    where organization_id = ${organizationId} and id = ${id} returning ${managementColumns}`.execute(db)
  return rows[0]
}

/** Inserts a Brain key unless its idempotency key was used before. */
export const insertBrainKey = async (
  tx: Queryable,
  brainId: number,
  key: NewKey & Pick<AppOfKey, 'capabilities'> & Partial<AppOfKey> & { people: readonly string[]; line: string | null },
) => {
  const { rows } = await sql<BrainKeyRow>`
    insert into brain_keys (brain_id, id, hash, name, prefix, capabilities, created_by, people, line, created_at, expires_at,
      idempotency_key, fingerprint, app_id)
    values (${brainId}, ${key.id}, ${key.hash}, ${key.name}, ${key.prefix}, ${[...key.capabilities]}::text[], ${key.createdBy},
      ${[...key.people]}::text[], ${key.line}, ${key.createdAt}, ${key.expiresAt}, ${key.idempotencyKey}, ${key.fingerprint},
      ${key.appId ?? null})
    on conflict (brain_id, created_by, idempotency_key) where idempotency_key is not null do nothing
    returning ${brainColumns}`.execute(tx)
  return rows[0]
}

/** The Brain key that a management key minted under an idempotency key. */
export const selectMintedBrainKey = async (
  tx: Queryable,
  brainId: number,
  createdBy: string,
  idempotencyKey: string,
) => {
  const { rows } = await sql<BrainKeyRow>`select ${brainColumns} from brain_keys
    where brain_id = ${brainId} and created_by = ${createdBy} and idempotency_key = ${idempotencyKey}`.execute(tx)
  return rows[0]
}

// Members who do not manage a Brain see the keys that they minted or rotated last.
const isOwn = (owner: Viewer) =>
  isVisible(owner, (userId) => sql`(${toPerson(sql`brain_keys.created_by`)} is distinct from ${userId})`)

/** A page of a Brain's keys, all or those of an owner. */
export const selectBrainKeys = async (db: Queryable, brainId: number, page: PageRequest<string>, owner?: Viewer) => {
  const { rows } = await sql<BrainKeyRow>`select ${brainColumns} from brain_keys
    where brain_id = ${brainId} and ${hasSecret} and ${isAfter(sql`id`, page)} and ${isOwn(owner)}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** One Brain key, if it is the owner's; `lock` keeps it as it is until the transaction ends. */
export const selectBrainKey = async (
  db: Queryable,
  brainId: number,
  id: string,
  { lock = false, owner }: { lock?: boolean; owner?: Viewer } = {},
) => {
  const { rows } = await sql<BrainKeyRow>`select ${brainColumns} from brain_keys
    where brain_id = ${brainId} and id = ${id} and ${hasSecret} and ${isOwn(owner)} ${lock ? sql`for update` : sql``}`.execute(
    db,
  )
  return rows[0]
}

/** Lets a replaced key work until the given time. */
export const markReplaced = (tx: Queryable, brainId: number, id: string, by: { id: string; worksUntil: Date }) =>
  sql`
  update brain_keys set replaced_by = ${by.id}, expires_at = least(expires_at, ${by.worksUntil})
  where brain_id = ${brainId} and id = ${id}`.execute(tx)

/** Revokes a Brain key; one that is revoked already keeps its time. */
export const markBrainKeyRevoked = async (db: Queryable, brainId: number, id: string, now: Date) => {
  const { rows } = await sql<BrainKeyRow>`update brain_keys set revoked_at = coalesce(revoked_at, ${now})
    where brain_id = ${brainId} and id = ${id} returning ${brainColumns}`.execute(db)
  return rows[0]
}

/** The keys that end with a revoked Brain key: itself, and those that it replaced if none of their replacements works. */
export const selectEndedWith = async (db: Queryable, brainId: number, id: string, now: Date): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    with line as (
      select key.id, key.revoked_at is null and key.replaced_by is null
        and (key.expires_at is null or key.expires_at > ${now}) as works
      from brain_keys as revoked join brain_keys as key
        on key.brain_id = revoked.brain_id and coalesce(key.line, key.id) = coalesce(revoked.line, revoked.id)
      where revoked.brain_id = ${brainId} and revoked.id = ${id})
    select id from line where id = ${id} or not exists (select 1 from line where works) order by id`.execute(db)
  return rows.map(({ id: ended }) => ended)
}

/** Stores when keys were last used, and the people behind those that an older node minted. */
export const markKeysUsed = async (db: Queryable, keyIds: readonly string[], now: Date): Promise<void> => {
  await sql`update management_keys set last_used_at = ${now} where id = any(${[...keyIds]})`.execute(db)
  await sql`update brain_keys set last_used_at = ${now}, people = ${peopleColumn} where id = any(${[...keyIds]})`.execute(
    db,
  )
}

/** The names of an organization's management keys, and of keys of these Brains, by their ids. */
export const selectKeyNames = async (
  db: Queryable,
  { organizationId, brainIds }: { organizationId: string; brainIds: readonly number[] },
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from management_keys where organization_id = ${organizationId} and id = any(${[...ids]})
    union all
    select id, name from brain_keys where brain_id = any(${[...brainIds]}::bigint[]) and id = any(${[...ids]})`.execute(
    db,
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}
