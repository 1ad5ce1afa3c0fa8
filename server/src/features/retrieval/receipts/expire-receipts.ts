import type { Limits } from '../../../config/config.ts'
import { firstUuidAt } from '../../../shared/ids.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { estimateLargest } from './divided-queries.ts'
import { toItemKey } from './leave-receipt.ts'
import { deleteItems, deleteReceiptsBefore, deleteReceiptsUpTo, estimateAll, selectBeyond } from './queries.ts'
import { toItems } from './served.ts'

const atOnce = 1_000

type Gone = Awaited<ReturnType<typeof deleteReceiptsBefore>>

/** Deletes receipts and their items, until there are none left to delete. */
const deleteAll = async (db: Db, deleteSome: (tx: Tx) => Promise<Gone>): Promise<void> => {
  for (;;) {
    const deleted = await db.transaction().execute(async (tx) => {
      const gone = await deleteSome(tx)
      const items = gone.flatMap(({ brainId, id, served }) =>
        toItems(served).map((item) => ({ brainId, item: toItemKey(item), receipt: id })),
      )
      if (items.length > 0) await deleteItems(tx, items)
      return gone.length
    })
    if (deleted === 0) return
  }
}

/** Deletes receipts older than some days. Safe on any number of nodes and to repeat. */
export const expireReceipts = async (
  { db, limits }: { db: Db; limits: Pick<Limits, 'receipts'> },
  now: Date,
): Promise<void> => {
  if (limits.receipts.days === undefined) return
  const before = firstUuidAt(new Date(now.getTime() - limits.receipts.days * 86_400_000))
  await deleteAll(db, (tx) => deleteReceiptsBefore(tx, before, atOnce))
}

type BoundDeps = { db: Db; isDivided: boolean; limits: Pick<Limits, 'receiptsByTier'> }

/** The most receipts that a Brain may have: twice what the database estimates for all that could be one Brain's. */
const estimateMost = async ({ db, isDivided }: BoundDeps): Promise<number> => {
  const estimate = isDivided ? await estimateLargest(db) : await estimateAll(db)
  // Twice leaves room for receipts that were written since.
  return estimate < 0 ? Number.POSITIVE_INFINITY : estimate * 2
}

/**
 * Deletes the oldest receipts of Brains that have more than the tier of their organization allows. Safe on any number of nodes and to
 * repeat.
 */
export const boundReceipts = async (deps: BoundDeps): Promise<void> => {
  const {
    db,
    limits: { receiptsByTier },
  } = deps
  const most = await estimateMost(deps)
  if (most < Math.min(...Object.values(receiptsByTier))) return
  for (let after = 0; ; ) {
    const found = await selectBeyond(db, { after, receiptsByTier, most })
    if (!found) return
    const { brainId, last } = found
    if (last !== null) await deleteAll(db, (tx) => deleteReceiptsUpTo(tx, { brainId, last, limit: atOnce }))
    after = brainId
  }
}
