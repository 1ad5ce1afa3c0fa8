import { readContext } from '@noema/contracts/context.ts'
import { queryRecords } from '@noema/contracts/query.ts'
import { getReceipt, listReceipts } from '@noema/contracts/receipts.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import { runContext } from '../../features/retrieval/context/context.ts'
import { runQuery } from '../../features/retrieval/query/query.ts'
import { pageOfReceipts, readReceipt } from '../../features/retrieval/receipts/receipts.ts'
import { runSearch } from '../../features/retrieval/search/search.ts'
import { defineBinding } from '../binding.ts'

export const retrievalBindings = [
  defineBinding(searchBrain, async (deps, { caller, query }) => ({
    data: await runSearch(deps, caller.brain, query),
  })),
  defineBinding(readContext, async (deps, { caller, body }) => ({ data: await runContext(deps, caller.brain, body) })),
  defineBinding(queryRecords, async (deps, { caller, body }) => ({ data: await runQuery(deps, caller.brain, body) })),
  defineBinding(getReceipt, async (deps, { caller, params }) => ({
    data: await readReceipt(deps, caller.brain, params.id),
  })),
  defineBinding(listReceipts, async (deps, { caller, query }) => ({
    data: await pageOfReceipts(deps, caller.brain, query),
  })),
]
