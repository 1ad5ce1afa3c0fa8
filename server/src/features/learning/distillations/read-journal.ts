import type { Viewer } from '../../../storage/brain-access.ts'
import type { Db } from '../../../storage/database.ts'
import { selectLiveBrain } from '../../kernel/brains/brain-queries.ts'
import { listReceiptPage } from '../../retrieval/receipts/receipts.ts'
import type { Journal } from './extract.ts'
import {
  type CorrectedRead,
  type JournalOperation,
  type RejectedChange,
  selectAnswered,
  selectCorrecting,
  selectOperations,
  selectRejected,
  selectReviewedBrains,
} from './journal-queries.ts'

// Reads the journal of a run, and what people did about what it wrote and read: changes that they rejected, and knowledge that they corrected.

/** Receipts of one run in one Brain that are followed. */
const maxReceipts = 20

const findRejected = async (
  db: Db,
  brain: { brainId: number; handle: string },
  operations: readonly JournalOperation[],
): Promise<RejectedChange[]> => {
  const written = operations.filter(({ change, brain: handle }) => change !== null && handle === brain.handle)
  if (written.length === 0) return []
  const rejected = await selectRejected(
    db,
    brain.brainId,
    written.flatMap(({ change }) => change ?? []),
  )
  return rejected.map(({ change, reason }) => ({
    operationId: written.find((operation) => operation.change === change)?.id ?? '',
    ...{ change, reason },
  }))
}

const findCorrected = async (
  db: Db,
  { brainId, runId }: { brainId: number; runId: string },
  operations: readonly JournalOperation[],
): Promise<CorrectedRead[]> => {
  const brain = await selectLiveBrain(db, brainId)
  if (!brain) return []
  const query = { consumerId: runId, limit: maxReceipts, order: 'desc' as const }
  const { receipts } = await listReceiptPage({ db }, brain, query)
  const moved = receipts.flatMap((receipt) => receipt.moved.map((one) => ({ ...one, receipt: receipt.id })))
  if (moved.length === 0) return []
  const correcting = await selectCorrecting(
    db,
    brainId,
    moved.map(({ change }) => change),
  )
  return correcting.flatMap(({ change, reason }) => {
    const items = moved.filter((one) => one.change === change)
    const named = new Map(items.map((one) => [`${one.ref.type} ${JSON.stringify(one.ref.id)}`, one]))
    return [...named].flatMap(([item, { receipt }]) => {
      const operation = operations.find((one) => one.receipt === receipt)
      return operation ? [{ operationId: operation.id, change, reason, item }] : []
    })
  })
}

/** The journal of a run, and what became of it. */
export const readJournal = async (
  db: Db,
  run: { organizationId: string; runId: string },
  viewer: Viewer,
): Promise<Journal> => {
  const operations = await selectOperations(db, run)
  const [rejected, corrected]: [RejectedChange[], CorrectedRead[]] = [[], []]
  for (const { brainId, handle } of await selectReviewedBrains(db, run, viewer)) {
    rejected.push(...(await findRejected(db, { brainId, handle }, operations)))
    corrected.push(...(await findCorrected(db, { brainId, runId: run.runId }, operations)))
  }
  return { operations, tasks: await selectAnswered(db, run), rejected, corrected }
}
