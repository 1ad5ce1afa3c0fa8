import { getReceipt, listReceipts } from '@noema/contracts/receipts.ts'
import type { AppDeps } from '../../app-deps.ts'
import { pageOfReceipts, readReceipt } from '../../features/retrieval/receipts/receipts.ts'
import { route } from '../endpoint.ts'

export const receiptRoutes = [
  route(getReceipt, async (deps: AppDeps, { caller, params }) => ({
    data: await readReceipt(deps, caller.brain, params.id),
  })),
  route(listReceipts, async (deps: AppDeps, { caller, query }) => ({
    data: await pageOfReceipts(deps, caller.brain, query),
  })),
]
