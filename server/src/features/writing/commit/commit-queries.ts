import { type RawBuilder, sql } from 'kysely'
import type { RunPrepared, Tx } from '../../../storage/database.ts'
import { type BrainRow, brainColumns } from '../../kernel/brains/brain-queries.ts'
import type { BrainCounts } from '../../kernel/counts/counts.ts'
import { forWriting, type LockWait, lockingBriefly } from '../../kernel/locks/lock-queries.ts'
import { noUsage } from '../../kernel/usage/usage.ts'
import { toDay, type Usage, usageColumns } from '../../kernel/usage/usage-queries.ts'

/**
 * A Brain's row as its writers lock it, with what was written today: to it, and over all that counts together, where that was
 * asked for.
 */
export type LockedBrain = BrainRow & {
  seenAt: Date
  writesToday: number
  bytesToday: number
  used: Usage
  isUsageKnown: boolean
}

/**
 * Locks a live Brain until the transaction ends. The lock comes first: everything that a change is judged by is read
 * under it, so writers of one Brain, on any node, see each other's work and take their positions in the order of commits.
 */
export const lockBrain = async (
  tx: Tx,
  brainId: number,
  { now, wait, isCapped, prepared }: { now: Date; wait: LockWait; isCapped: boolean; prepared?: RunPrepared },
): Promise<LockedBrain | undefined> => {
  const today = toDay(now)
  const columns = sql`${brainColumns},
    case when brain.writes_day = ${today} then brain.writes_today else 0 end as "writesToday",
    case when brain.bytes_day = ${today} then brain.bytes_today else 0 end as "bytesToday",
    ${isCapped ? usageColumns(sql`brain.organization_id`, now) : sql`null as used`}`
  const where = sql`brain.brain_id = ${brainId} and brain.deleted_at is null`
  const locking = { columns, where, lock: forWriting, prepared }
  const row = await lockingBriefly<Omit<LockedBrain, 'seenAt' | 'used' | 'isUsageKnown'> & { used: Usage | null }>(
    tx,
    wait,
    locking,
  )
  return row && { ...row, used: row.used ?? noUsage, isUsageKnown: row.used !== null, seenAt: now }
}

/** Whether a Brain has changes at all, landed or waiting. */
export const hasChanges = async (tx: Tx, brainId: number): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from changes where brain_id = ${brainId}) as has`.execute(tx)
  return rows[0]?.has === true
}

/** Where a batch leaves its Brain, and by how much it holds more or less of everything. */
export type Progress = {
  position: number
  stateVersion: number
  schemaVersion: number
  writes: number
  bytes: number
  added: BrainCounts
}

/**
 * Lands a batch in one statement: moves the Brain on from where the batch found it, and inserts what it made. When the
 * Brain is not there any more, because another node wrote or its settings changed, the division fails and with it every
 * insert, whatever features add to this list.
 */
export const landing = (
  found: BrainRow,
  inserts: readonly RawBuilder<unknown>[],
  progress: Progress,
  now: Date,
): RawBuilder<object> => {
  const today = toDay(now)
  const parts = inserts.map((insert, index) => sql`${sql.raw(`part_${index}`)} as (${insert})`)
  return sql<object>`with moved as (
      update brains set position = ${progress.position}, state_version = ${progress.stateVersion},
        schema_version = ${progress.schemaVersion}, writes_day = ${today},
        writes_today = ${progress.writes} + case when writes_day = ${today} then writes_today else 0 end,
        records_count = records_count + ${progress.added.records}::bigint,
        statements_count = statements_count + ${progress.added.statements}::bigint,
        documents_count = documents_count + ${progress.added.documents}::bigint,
        pending_count = pending_count + ${progress.added.pendingChanges}::bigint,
        counted_events = counted_events + ${progress.position - found.position}::bigint,
        last_write_at = coalesce(${progress.stateVersion > found.stateVersion ? now : null}::timestamptz, last_write_at),
        bytes_day = ${today},
        bytes_today = ${progress.bytes} + case when bytes_day = ${today} then bytes_today else 0 end
      where brain_id = ${found.brainId} and position = ${found.position} and state_version = ${found.stateVersion}
        and schema_version = ${found.schemaVersion} and mode = ${found.mode} and availability = ${found.availability}
        and review_rules = ${JSON.stringify(found.reviewRules)}::jsonb and deleted_at is null
      returning brain_id),
    ${sql.join(parts)}
    select 1 / count(*) from moved`
}
