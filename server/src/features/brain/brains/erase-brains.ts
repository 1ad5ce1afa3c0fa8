import { sql } from 'kysely'
import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork, deleteOtherTurns } from '../brain-turns/brain-turns.ts'

type Deps = { db: Db; clock: Clock }

const work = 'erase'

/** The tables of a Brain that its deletion empties. Its events stay until they were offered to those who wait for them. */
const tables = [
  'record_versions',
  'statements',
  'document_versions',
  'changes',
  'snapshot_items',
  'snapshots',
  'idempotency_answers',
  'brain_keys',
  'brain_schemas',
  'brain_baselines',
  'emerged_structure',
  'field_index',
  'passages',
  'passage_postings',
  'passage_segments',
  'passage_progress',
  'field_index_work',
  'receipts',
  'receipt_items',
  'date_crossings',
  'brain_webhook_deliveries',
  'passage_vectors',
  'vector_progress',
] as const

const rowsAtOnce = 5_000

/** Empties a table of a Brain's rows. False where the turn is over before it is done. */
const eraseFrom = async (
  db: Db,
  brainId: number,
  table: (typeof tables)[number],
  turn: BrainTurn,
): Promise<boolean> => {
  for (;;) {
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where brain_id = ${brainId} and ctid = any(
      array(select ctid from ${sql.table(table)} where brain_id = ${brainId} limit ${rowsAtOnce}))`.execute(db)
    if ((numAffectedRows ?? 0n) < BigInt(rowsAtOnce)) return true
    if (turn.stopping.aborted || !(await turn.renew())) return false
  }
}

/** Lets go of the webhooks that were sent everything, and answers whether others still wait for the last events. */
const isAwaited = async (db: Db, brainId: number): Promise<boolean> => {
  await sql`delete from brain_webhooks as webhook using brains as brain
    where webhook.brain_id = ${brainId} and brain.brain_id = ${brainId} and webhook.examined_position >= brain.position`.execute(
    db,
  )
  const { rows } = await sql`select from brain_webhooks where brain_id = ${brainId} limit 1`.execute(db)
  return rows.length > 0
}

const eraseBrain = async ({ db, clock }: Deps, brainId: number, turn: BrainTurn): Promise<BrainTurnEnd> => {
  for (const table of tables) if (!(await eraseFrom(db, brainId, table, turn))) return 'unfinished'
  if (await isAwaited(db, brainId)) return 'done'
  await deleteOtherTurns(db, brainId, work)
  // The last event alone is kept: it tells those who follow the Brain that it is gone.
  await sql`delete from events where brain_id = ${brainId}
    and position < (select max(position) from events where brain_id = ${brainId})`.execute(db)
  await sql`update brains set purged_at = ${clock.now()} where brain_id = ${brainId}`.execute(db)
  return 'done'
}

/** Erases what deleted Brains held, a few thousand rows at a time. */
export const createErasing = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'erase deleted Brains',
    ...{ work, maxTurns: 4, leaseSeconds: 60, everySeconds: 5 },
    behind: (narrow) => sql`select brain.brain_id, brain.deleted_at as due from brains as brain
      where brain.deleted_at is not null and brain.purged_at is null and ${narrow(sql`brain.brain_id`)}`,
    run: (brainId, turn) => eraseBrain(deps, brainId, turn),
  })
