import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'

// Revokes keys together with the access of the person who made them. The keys of the maker are locked first, and minting holds
// the same locks: keys that are being minted meanwhile are then seen, and none are minted afterwards.

/** The keys of a person in these organizations, revoked ones included, locked until the transaction ends. */
export const lockManagementKeys = async (db: Queryable, userId: string, organizationIds: readonly string[]) => {
  const { rows } = await sql<{ id: string }>`
    select id from management_keys where organization_id = any(${[...organizationIds]}) and created_by = ${userId}
    order by id for update`.execute(db)
  return rows.map(({ id }) => id)
}

export const revokeManagementKeys = async (db: Queryable, ids: readonly string[], now: Date) => {
  const { rows } = await sql<{ id: string; name: string }>`
    update management_keys set revoked_at = ${now}
    where id = any(${[...ids]}) and revoked_at is null and (expires_at is null or expires_at > ${now})
    returning id, name`.execute(db)
  return rows
}

export type EndingBrainKey = { id: string; name: string; brain: string; wasLive: boolean }

/** The live Brain keys that these makers minted or rotated last. */
export const selectBrainKeysOfMakers = async (db: Queryable, { makers, organizationIds }: Made, now: Date) => {
  const { rows } = await sql<EndingBrainKey>`
    select key.id, key.name, brain.handle as brain, true as "wasLive"
    from brain_directory as brain join brain_keys as key on key.brain_id = brain.brain_id
    where brain.organization_id = any(${[...organizationIds]}) and brain.deleted_at is null
      and key.created_by = any(${[...makers]}) and key.revoked_at is null
      and (key.expires_at is null or key.expires_at > ${now})
    order by key.id limit 1000`.execute(db)
  return rows
}

/** The Brain keys to revoke: grants of apps alone, those that the makers minted or rotated, or these with their whole lineage. */
type Which = 'grants' | 'made' | 'lines'

/** Revokes Brain keys that these makers minted or rotated. */
export const revokeBrainKeys = async (db: Queryable, made: Made & { which: Which }, now: Date) => {
  const { rows } = await sql<EndingBrainKey>`
    with made as (
      select key.brain_id, key.id, key.line, brain.handle
      from brain_directory as brain join brain_keys as key on key.brain_id = brain.brain_id
      where brain.organization_id = any(${[...made.organizationIds]}) and brain.deleted_at is null
        and key.created_by = any(${[...made.makers]})
        ${made.which === 'grants' ? sql`and key.app_id is not null` : sql``}
    ), ended as (
      select distinct key.brain_id, key.id, made.handle, key.revoked_at is null
        and (key.expires_at is null or key.expires_at > ${now}) as "wasLive"
      from made join brain_keys as key on key.brain_id = made.brain_id and (key.id = made.id
        or (${made.which === 'lines'} and coalesce(key.line, key.id) = coalesce(made.line, made.id)))
    )
    update brain_keys as key set revoked_at = coalesce(key.revoked_at, ${now})
    from ended where key.brain_id = ended.brain_id and key.id = ended.id
    returning key.id, key.name, ended.handle as brain, ended."wasLive"`.execute(db)
  return rows
}

/** Checks whether a management key or a Brain key is live; with a time, also whether it expired. It cannot be revoked until the transaction ends. */
export const holdKey = async (
  tx: Queryable,
  id: string,
  { brainId, now }: { brainId?: number | undefined; now?: Date | undefined },
): Promise<boolean> => {
  const live = sql`revoked_at is null and coalesce(expires_at > ${now ?? null}::timestamptz, true) as live`
  const { rows: management } = await sql<{ live: boolean }>`
    select ${live} from management_keys where id = ${id} for share`.execute(tx)
  if (management[0] || brainId === undefined) return management[0]?.live === true
  const { rows } = await sql<{ live: boolean }>`
    select ${live} from brain_keys where brain_id = ${brainId} and id = ${id} for share`.execute(tx)
  return rows[0]?.live === true
}

/** Checks whether a person is signed in and a member. Neither can end until the transaction ends. */
export const holdMember = async (tx: Queryable, userId: string, organizationId: string): Promise<boolean> => {
  const { rows: sessions } = await sql`
    select from session where "userId" = ${userId} order by id limit 1 for share`.execute(tx)
  const { rows: members } = await sql`
    select from member where "organizationId" = ${organizationId} and "userId" = ${userId} for share`.execute(tx)
  return sessions.length > 0 && members.length > 0
}
