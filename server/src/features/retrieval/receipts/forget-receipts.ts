import { firstUuidAt } from '../../../shared/ids.ts'
import type { Db } from '../../../storage/database.ts'
import { toItemKey } from './leave-receipt.ts'
import { deleteItems, deleteReceiptsBefore } from './queries.ts'
import { toItems } from './served.ts'

const atOnce = 1_000

/** Forgets receipts older than some days. Safe on any number of nodes and to repeat. */
export const forgetReceipts = async (deps: { db: Db; receiptDays: number | undefined }, now: Date): Promise<void> => {
  if (deps.receiptDays === undefined) return
  const before = firstUuidAt(new Date(now.getTime() - deps.receiptDays * 86_400_000))
  for (;;) {
    const forgotten = await deps.db.transaction().execute(async (tx) => {
      const gone = await deleteReceiptsBefore(tx, before, atOnce)
      const items = gone.flatMap(({ brainId, id, served }) =>
        toItems(served).map((item) => ({ brainId, item: toItemKey(item), receipt: id })),
      )
      if (items.length > 0) await deleteItems(tx, items)
      return gone.length
    })
    if (forgotten === 0) return
  }
}
