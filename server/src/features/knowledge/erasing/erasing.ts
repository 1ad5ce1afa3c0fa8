import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { deleteOtherTurns } from '../../kernel/leases/lease-queries.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { contentKinds } from '../content/content.ts'
import { brainsToErase, deleteEventsButLast, deleteRows, markErased, releaseWebhooks } from './queries.ts'

/**
 * Erases the rows of other features about a Brain, before its own tables are emptied. False if the turn is over before it
 * is done.
 */
export type EraseElsewhere = (brainId: number, turn: BrainTurn) => Promise<boolean>

type Deps = { db: Db; clock: Clock; eraseElsewhere: EraseElsewhere }

const work = 'erase'

/** The tables of a Brain that its deletion empties. Its events stay until they were offered to those who wait for them. */
export const erasedTables = [
  ...contentKinds.map(({ table }) => table.name),
  'record_links',
  'change_evals',
  'changes',
  'snapshot_items',
  'snapshots',
  'idempotency_answers',
  'brain_keys',
  'brain_members',
  'restricted_brains',
  'brain_schemas',
  'brain_baselines',
  'emerged_structure',
  'field_index',
  'passages',
  'passage_postings',
  'passage_segments',
  'passage_progress',
  'unsearchable_versions',
  'field_index_work',
  'receipts',
  'receipt_items',
  'date_crossings',
  'brain_webhook_deliveries',
  'passage_vectors',
  'vector_progress',
  'answering_spaces',
  'run_brains',
  'eval_run_brains',
  'distillation_brains',
  'derived_pages',
  'derived_rewrites',
  'triggers',
  'pack_items',
  'web_pages',
  'web_sources',
]

const rowsAtOnce = 5_000

/** Deletes a Brain's rows of a table. False if the turn is over before it is done. */
const eraseFrom = async (db: Db, brainId: number, table: string, turn: BrainTurn): Promise<boolean> => {
  while ((await deleteRows(db, brainId, table, rowsAtOnce)) === rowsAtOnce)
    if (turn.stopping.aborted || !(await turn.renew())) return false
  return true
}

const eraseBrain = async (
  { db, clock, eraseElsewhere }: Deps,
  brainId: number,
  turn: BrainTurn,
): Promise<BrainTurnEnd> => {
  if (!(await eraseElsewhere(brainId, turn))) return 'unfinished'
  for (const table of erasedTables) if (!(await eraseFrom(db, brainId, table, turn))) return 'unfinished'
  const isAwaited = await releaseWebhooks(db, brainId)
  if (isAwaited) return 'done'
  await deleteOtherTurns(db, brainId, work)
  await deleteEventsButLast(db, brainId)
  await markErased(db, brainId, clock.now())
  return 'done'
}

/** Erases what deleted Brains held, a few thousand rows at a time. */
export const createErasing = (deps: Deps) =>
  createBrainWork(deps, {
    name: 'erase deleted Brains',
    ...{ work, maxTurns: 4, leaseSeconds: 60, everySeconds: 5 },
    behind: brainsToErase,
    run: (brainId, turn) => eraseBrain(deps, brainId, turn),
  })
