import { sql } from 'kysely'
import type { Db, Queryable, RunPrepared, Tx } from '../../../storage/database.ts'
import { defineStatement, runStatement } from '../../../storage/statements.ts'
import { type BrainRow, brainColumns } from '../../kernel/brains/brain-queries.ts'
import { findLocked, forWriting, type Locked, type LockWait, lockBriefly } from '../../kernel/locks/lock-queries.ts'
import { noUsage } from '../../kernel/usage/usage.ts'
import { selectUsage, toDay, type Usage, usageColumns } from '../../kernel/usage/usage-queries.ts'

/**
 * A Brain's row as its writers read it, with the usage of today: of the Brain, and of all Brains that count together, where
 * that was requested. `mayStage`: whether the Brain may want a write reviewed.
 */
export type LockedBrain = BrainRow & {
  seenAt: Date
  today: string
  writesToday: number
  bytesToday: number
  used: Usage
  isUsageKnown: boolean
  mayStage: boolean
}

type FoundBrain = Omit<LockedBrain, 'seenAt' | 'today' | 'used' | 'isUsageKnown' | 'mayStage'> & { used: Usage | null }

/** `capped`: whether the usage of all Brains that count together is read. */
type Reading = { brainId: number; today: string; capped: true | undefined }
const variation = { optional: ['capped'] } as const

const toColumns = ({ today, capped }: Reading) => sql`${brainColumns},
  case when brain.writes_day = ${today} then brain.writes_today else 0 end as "writesToday",
  case when brain.bytes_day = ${today} then brain.bytes_today else 0 end as "bytesToday",
  ${capped ? usageColumns(sql`brain.organization_id`, today) : sql`null as used`}`

const isLive = ({ brainId }: Reading) => sql`brain.brain_id = ${brainId} and brain.deleted_at is null`

const selectLocking = defineStatement<Reading & { wait: LockWait }, Locked<FoundBrain>>(
  ({ wait, ...reading }) =>
    lockBriefly<FoundBrain>({ columns: toColumns(reading), where: isLive(reading), lock: forWriting, wait }),
  variation,
)

const selectBrain = defineStatement<Reading, FoundBrain>(
  (reading) => sql<FoundBrain>`select ${toColumns(reading)} from brains as brain where ${isLive(reading)}`,
  variation,
)

const toLocked = (row: FoundBrain | undefined, today: string, now: Date): LockedBrain | undefined =>
  row && {
    ...row,
    ...{ used: row.used ?? noUsage, isUsageKnown: row.used !== null, seenAt: now, today },
    mayStage: row.mode === 'review' || (row.reviewRules.always ?? []).length > 0,
  }

/** `isCapped`: whether the usage of all Brains that count together is read; `isDivided`: whether they are on several servers. */
type ReadsUsage = { now: Date; isCapped: boolean; isDivided: boolean }

/** Adds the usage of Brains on several servers by a statement of its own, so that the Brain's stays on one server. */
const withUsage = async (on: Queryable, row: FoundBrain | undefined, now: Date) =>
  row && { ...row, used: await selectUsage(on, row.organizationId, now) }

/**
 * Locks a live Brain until the transaction ends. The lock comes first: everything that a change is judged by is read
 * under it, so writers of one Brain, on any node, see each other's work and take their positions in the order of commits.
 */
export const lockBrain = async (
  tx: Tx,
  brainId: number,
  { wait, ...usage }: ReadsUsage & { wait: LockWait },
): Promise<LockedBrain | undefined> => {
  const today = toDay(usage.now)
  const locking = runStatement(
    tx,
    selectLocking({ brainId, today, capped: (usage.isCapped && !usage.isDivided) || undefined, wait }),
  )
  const row = await findLocked(locking)
  return toLocked(usage.isCapped && usage.isDivided ? await withUsage(tx, row, usage.now) : row, today, usage.now)
}

/** Reads a live Brain without its lock. A commit on top of it must check that the Brain is still there. */
export const readBrain = async (
  { db, prepared }: { db: Db; prepared: RunPrepared },
  brainId: number,
  usage: ReadsUsage,
): Promise<LockedBrain | undefined> => {
  const today = toDay(usage.now)
  const [row] = await prepared(
    selectBrain({ brainId, today, capped: (usage.isCapped && !usage.isDivided) || undefined }),
  )
  return toLocked(usage.isCapped && usage.isDivided ? await withUsage(db, row, usage.now) : row, today, usage.now)
}

/** True if a Brain has any changes, applied or pending. */
export const hasChanges = async (tx: Tx, brainId: number): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select 1 from changes where brain_id = ${brainId}) as has`.execute(tx)
  return rows[0]?.has === true
}
