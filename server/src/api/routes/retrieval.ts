import { readContext } from '@noema/contracts/context.ts'
import { queryRecords } from '@noema/contracts/query.ts'
import { searchBrain } from '@noema/contracts/search.ts'
import type { AppDeps } from '../../app-deps.ts'
import { runContext } from '../../features/retrieval/context/context.ts'
import { runQuery } from '../../features/retrieval/query/query.ts'
import { runSearch } from '../../features/retrieval/search/search.ts'
import { route } from '../endpoint.ts'

export const readingRoutes = [
  route(searchBrain, async (deps: AppDeps, { caller, query }) => ({
    data: await runSearch(deps, caller.brain, query),
  })),
  route(readContext, async (deps: AppDeps, { caller, body }) => ({ data: await runContext(deps, caller.brain, body) })),
  route(queryRecords, async (deps: AppDeps, { caller, body }) => ({ data: await runQuery(deps, caller.brain, body) })),
]
