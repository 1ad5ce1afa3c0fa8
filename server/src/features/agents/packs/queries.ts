import { type PackFile, packLimits } from '@noema/contracts/pack-files.ts'
import type { Pack } from '@noema/contracts/packs.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'

/** An item that a pack brought to a Brain: `ref` is the id of the agent, the trigger or the change. */
export type ItemRow = { item: string; ref: string }

export const selectItems = async (db: Queryable, brainId: number, pack: string): Promise<ItemRow[]> => {
  const { rows } = await sql<ItemRow>`select item, ref from pack_items
    where brain_id = ${brainId} and pack = ${pack} order by item limit 1000`.execute(db)
  return rows
}

type NewItem = ItemRow & { brainId: number; pack: string; now: Date }

/**
 * Records an item, in place of `former` if that is gone. False if another install was first. The Brain is not locked: making an
 * agent locks the organization, which others lock after a Brain.
 */
export const insertItem = async (
  db: Queryable,
  { brainId, pack, item, ref, now }: NewItem,
  former: string | undefined,
): Promise<boolean> => {
  const { rows } = await sql`insert into pack_items (brain_id, pack, item, ref, created_at)
    select brain_id, ${pack}, ${item}, ${ref}, ${now}::timestamptz from brains
      where brain_id = ${brainId} and deleted_at is null
    on conflict (brain_id, pack, item) do update set ref = excluded.ref, created_at = excluded.created_at
      where pack_items.ref = ${former ?? null}
    returning item`.execute(db)
  return rows.length > 0
}

type Place = { organizationId: string; name: string }

/** Locks the packs of an organization until the transaction ends, so that their limits are exact. */
export const lockPacks = (tx: Tx, organizationId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`packs ${organizationId}`}, 0))`.execute(tx)

type StoredPack = { version: number; file: PackFile }

/** Packs that were stored before packs had evals. */
const withoutEvals = { rubrics: [], evals: [] }

const complete = ({ version, file }: StoredPack): StoredPack => ({ version, file: { ...withoutEvals, ...file } })

/** The newest version of a pack. */
export const selectNewest = async (db: Queryable, { organizationId, name }: Place): Promise<StoredPack | undefined> => {
  const { rows } = await sql<StoredPack>`select version, file from packs
    where organization_id = ${organizationId} and name = ${name} order by version desc limit 1`.execute(db)
  return rows[0] && complete(rows[0])
}

/** One version of a pack. */
export const selectVersion = async (
  db: Queryable,
  { organizationId, name, version }: Place & { version: number },
): Promise<StoredPack | undefined> => {
  const { rows } = await sql<StoredPack>`select version, file from packs
    where organization_id = ${organizationId} and name = ${name} and version = ${version}`.execute(db)
  return rows[0] && complete(rows[0])
}

/** The newest versions of an organization's packs as lists show them, by name. */
export const selectShown = async (db: Queryable, organizationId: string): Promise<Pack[]> => {
  const { rows } = await sql<{ shown: Pack }>`select distinct on (name) shown from packs
    where organization_id = ${organizationId} order by name, version desc limit ${packLimits.packs}`.execute(db)
  return rows.map(({ shown }) => ({ ...withoutEvals, ...shown }))
}

/** The number of an organization's packs, and the bytes of all their versions. */
export const selectTotals = async (
  db: Queryable,
  organizationId: string,
): Promise<{ packs: number; bytes: number }> => {
  const { rows } = await sql<{ packs: number; bytes: number }>`
    select count(distinct name) as packs, coalesce(sum(size), 0)::bigint as bytes from packs
    where organization_id = ${organizationId}`.execute(db)
  return rows[0] ?? { packs: 0, bytes: 0 }
}

type NewPack = Place & { version: number; file: string; size: number; shown: string; by: Actor; now: Date }

export const insertPack = (db: Queryable, { organizationId, name, version, file, size, shown, by, now }: NewPack) =>
  sql`insert into packs (organization_id, name, version, file, size, shown, created_by, created_at)
    values (${organizationId}, ${name}, ${version}, ${file}::json, ${size}, ${shown}::json, ${JSON.stringify(by)}::json,
      ${now})`.execute(db)

/** Deletes the versions of a pack before one. */
export const deleteVersionsBefore = (db: Queryable, { organizationId, name, version }: Place & { version: number }) =>
  sql`delete from packs where organization_id = ${organizationId} and name = ${name} and version < ${version}`.execute(
    db,
  )

/** Deletes a pack with all its versions. */
export const deletePackRows = (db: Queryable, { organizationId, name }: Place) =>
  sql`delete from packs where organization_id = ${organizationId} and name = ${name}`.execute(db)
