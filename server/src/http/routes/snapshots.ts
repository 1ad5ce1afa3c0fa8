import { applySnapshot, getSnapshot, listSnapshots, planSnapshot } from '@noema/contracts/snapshots.ts'
import type { AppDeps } from '../../app-deps.ts'
import { applyPlan, pageOfSnapshots, planSource, readSnapshot } from '../../features/writing/snapshots/snapshots.ts'
import { route } from '../endpoint.ts'
import { checkSource } from '../path-ids.ts'
import { settledAnswer, submitterOf } from './writing.ts'

export const snapshotRoutes = [
  route(planSnapshot, async (deps: AppDeps, call) => {
    const { caller, params, body, idempotencyKey } = call
    const request = { source: checkSource(params.source), body, idempotencyKey }
    return settledAnswer(await planSource(deps, submitterOf(deps, caller), caller.brain.brainId, request))
  }),
  route(applySnapshot, async (deps: AppDeps, call) => {
    const { caller, params, body, idempotencyKey } = call
    const { snapshot } = params
    const request = { source: checkSource(params.source), snapshot, body, idempotencyKey }
    return settledAnswer(await applyPlan(deps, submitterOf(deps, caller), caller.brain.brainId, request))
  }),
  route(getSnapshot, async (deps: AppDeps, { caller, params, query }) => ({
    json: await readSnapshot(
      deps,
      caller.brain,
      { source: checkSource(params.source), snapshot: params.snapshot },
      query,
    ),
  })),
  route(listSnapshots, async (deps: AppDeps, { caller, params, query }) => ({
    data: await pageOfSnapshots(deps, caller.brain, checkSource(params.source), query),
  })),
]
