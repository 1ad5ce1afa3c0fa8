import { queryRecords } from '@noema/contracts/query.ts'
import type { AppDeps } from '../../app-deps.ts'
import { runQuery } from '../../features/query/query.ts'
import { route } from '../endpoint.ts'

export const readingRoutes = [
  route(queryRecords, async (deps: AppDeps, { caller, body }) => ({ data: await runQuery(deps, caller.brain, body) })),
]
