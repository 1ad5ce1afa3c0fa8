import type { BrainRole } from '@noema/contracts/access.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import { sql } from 'kysely'
import { isRowShown, isShown, roleInBrain, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'
import { forChange, type LockWait, lockingBriefly } from '../locks/lock-queries.ts'

/** A Brain's head, as far as operations need it. */
export type BrainRow = {
  brainId: number
  id: string
  organizationId: string
  handle: string
  name: string | null
  purpose: string | null
  mode: Brain['mode']
  reviewRules: {
    always?: string[] | undefined
    requireOtherReviewer?: boolean | undefined
    requireEval?: string | undefined
  }
  availability: Brain['availability']
  cursorKey: Buffer
  position: number
  stateVersion: number
  schemaVersion: number
  createdAt: Date
  updatedAt: Date
}

/** The columns of a BrainRow, from a table or alias named `brain`. */
export const brainColumns = sql`
  brain.brain_id as "brainId", brain.id, brain.organization_id as "organizationId", brain.handle, brain.name, brain.purpose,
  brain.mode, brain.review_rules as "reviewRules", brain.availability, brain.cursor_key as "cursorKey", brain.position,
  brain.state_version as "stateVersion", brain.schema_version as "schemaVersion", brain.created_at as "createdAt",
  brain.updated_at as "updatedAt"`

/** The number of a live Brain by its handle. */
export const findBrainId = async (
  db: Queryable,
  { organizationId, handle, viewer }: { organizationId: string; handle: string; viewer?: Viewer },
): Promise<number | undefined> => {
  const { rows } = await sql<{ brainId: number }>`select brain_id as "brainId" from brain_directory
    where organization_id = ${organizationId} and handle = ${handle} and deleted_at is null
      and ${isShown(sql`brain_directory.brain_id`, viewer)}`.execute(db)
  return rows[0]?.brainId
}

/** A person's role in a Brain; null if it is not open to them. */
export const selectPersonalRole = async (
  db: Queryable,
  brainId: number,
  userId: string | undefined,
): Promise<BrainRole | null> => {
  const { rows } = await sql<{ role: BrainRole | null }>`
    select ${roleInBrain(sql`${brainId}::bigint`, sql`${userId ?? ''}::text`)} as role`.execute(db)
  return rows[0]?.role ?? null
}

/** Locks the live Brain of a handle until the transaction ends. */
export const lockBrainByHandle = async (
  tx: Tx,
  wait: LockWait,
  place: { organizationId: string; handle: string },
): Promise<BrainRow | undefined> => {
  const brainId = await findBrainId(tx, place)
  if (brainId === undefined) return undefined
  return lockingBriefly<BrainRow>(tx, wait, {
    columns: brainColumns,
    where: sql`brain.brain_id = ${brainId} and brain.deleted_at is null`,
    lock: forChange,
  })
}

/** A live Brain, by a statement that each connection prepares once: for every request where Brains are on several servers. */
export const selectLiveHead = defineStatement(
  ({ brainId }: { brainId: number }) => sql<BrainRow>`select ${brainColumns} from brains as brain
    where brain_id = ${brainId} and deleted_at is null`,
)

/** A live Brain. */
export const selectLiveBrain = async (db: Queryable, brainId: number): Promise<BrainRow | undefined> => {
  const { rows } = await sql<BrainRow>`select ${brainColumns} from brains as brain
    where brain_id = ${brainId} and deleted_at is null`.execute(db)
  return rows[0]
}

/** A live Brain of an organization by its id. */
export const selectBrainById = async (
  db: Queryable,
  organizationId: string,
  id: string,
  viewer?: Viewer,
): Promise<BrainRow | undefined> => {
  const { rows } = await sql<{ brainId: number }>`select brain_id as "brainId" from brain_directory
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null and ${isShown(sql`brain_directory.brain_id`, viewer)}`.execute(
    db,
  )
  return rows[0] && selectLiveBrain(db, rows[0].brainId)
}

/** The ids of an organization's live Brains by their handles. */
export const selectIdsByHandles = async (
  db: Queryable,
  organizationId: string,
  handles: readonly string[],
  viewer?: Viewer,
): Promise<Map<string, string>> => {
  const { rows } = await sql<{ handle: string; id: string }>`select handle, id from brain_directory
    where organization_id = ${organizationId} and handle = any(${[...handles]}) and deleted_at is null
      and ${isShown(sql`brain_directory.brain_id`, viewer)}`.execute(db)
  return new Map(rows.map(({ handle, id }) => [handle, id]))
}

type NewBrain = Pick<
  BrainRow,
  'id' | 'organizationId' | 'handle' | 'name' | 'purpose' | 'mode' | 'cursorKey' | 'schemaVersion'
>

/** Inserts a Brain, its directory row first, unless its handle is taken. */
export const insertBrain = async (tx: Queryable, brain: NewBrain, now: Date) => {
  const { rows: places } = await sql<{ brainId: number }>`
    insert into brain_directory (organization_id, handle, id)
    values (${brain.organizationId}, ${brain.handle}, ${brain.id})
    on conflict (organization_id, handle) where deleted_at is null do nothing returning brain_id as "brainId"`.execute(
    tx,
  )
  const [place] = places
  if (!place) return undefined
  const { rows } = await sql<BrainRow>`
    insert into brains as brain (brain_id, id, organization_id, handle, name, purpose, mode, cursor_key, schema_version,
      created_at, updated_at)
    overriding system value
    values (${place.brainId}, ${brain.id}, ${brain.organizationId}, ${brain.handle}, ${brain.name}, ${brain.purpose},
      ${brain.mode}, ${brain.cursorKey}, ${brain.schemaVersion}, ${now}, ${now})
    returning ${brainColumns}`.execute(tx)
  return rows[0]
}

/** Writes a Brain's own settings. */
export const updateBrain = async (
  tx: Queryable,
  brain: Pick<BrainRow, 'brainId' | 'name' | 'purpose' | 'mode' | 'reviewRules'>,
  now: Date,
) => {
  const { rows } = await sql<BrainRow>`update brains as brain
    set name = ${brain.name}, purpose = ${brain.purpose}, mode = ${brain.mode},
      review_rules = ${JSON.stringify(brain.reviewRules)}::jsonb, updated_at = ${now}
    where brain_id = ${brain.brainId} returning ${brainColumns}`.execute(tx)
  return rows[0]
}

/** A page of the live Brains of an organization that a viewer may see, in the order of handles. */
export const selectBrains = async (
  db: Queryable,
  organizationId: string,
  page: PageRequest<string>,
  viewer?: Viewer,
) => {
  const { rows } = await sql<BrainRow>`select ${brainColumns} from brains as brain
    where organization_id = ${organizationId} and ${isAfter(sql`handle`, page)} and deleted_at is null
      and ${isRowShown(sql`brain.brain_id`, organizationId, viewer)}
    ${inOrder(sql`handle`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Marks a Brain deleted, frees its handle, and deletes its name and purpose. */
export const markDeleted = async (tx: Queryable, brainId: number, position: number, now: Date): Promise<void> => {
  await sql`
    update brains set availability = 'deleted', deleted_at = ${now}, updated_at = ${now}, position = ${position},
      name = null, purpose = null
    where brain_id = ${brainId}`.execute(tx)
  await sql`update brain_directory set deleted_at = ${now} where brain_id = ${brainId} and deleted_at is null`.execute(
    tx,
  )
}

/** Counts the current content of a Brain. */
export const countContents = async (tx: Queryable, brainId: number) => {
  const { rows } = await sql<{ records: number; statements: number; documents: number }>`
    select (select count(*) from record_versions where brain_id = ${brainId} and to_state is null) as records,
      (select count(*) from statements where brain_id = ${brainId} and to_state is null) as statements,
      (select count(*) from document_versions where brain_id = ${brainId} and to_state is null) as documents`.execute(
    tx,
  )
  return rows[0] ?? { records: 0, statements: 0, documents: 0 }
}

/** The cursor key of a deleted Brain that once had this handle. */
export const selectFormerBrain = async (db: Queryable, brain: BrainRow, formerId: number) => {
  const { rows } = await sql<{ cursorKey: Buffer }>`select cursor_key as "cursorKey" from brains
    where brain_id = ${formerId} and organization_id = ${brain.organizationId} and handle = ${brain.handle}
      and deleted_at is not null`.execute(db)
  return rows[0]
}

/** The result of an import for the Brain's row: its settings, and its latest state and position. */
export type Restored = Pick<
  BrainRow,
  'brainId' | 'name' | 'purpose' | 'mode' | 'reviewRules' | 'position' | 'stateVersion' | 'schemaVersion'
> & { writesToday: number; bytesToday: number }

/** Writes the result of an import to the Brain's row. */
export const restoreBrain = async (tx: Queryable, brain: Restored, now: Date): Promise<BrainRow | undefined> => {
  const { rows } = await sql<BrainRow>`update brains as brain
    set name = ${brain.name}, purpose = ${brain.purpose}, mode = ${brain.mode},
      review_rules = ${JSON.stringify(brain.reviewRules)}::jsonb, position = ${brain.position},
      state_version = ${brain.stateVersion}, schema_version = ${brain.schemaVersion}, updated_at = ${now},
      counted_gap = null, last_write_at = case when ${brain.stateVersion}::bigint > 0 then ${now}::timestamptz end,
      writes_day = ${now.toISOString().slice(0, 10)}, writes_today = ${brain.writesToday},
      bytes_day = ${now.toISOString().slice(0, 10)}, bytes_today = ${brain.bytesToday}
    where brain_id = ${brain.brainId} returning ${brainColumns}`.execute(tx)
  return rows[0]
}
