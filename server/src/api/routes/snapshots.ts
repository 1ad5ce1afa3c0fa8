import { applySnapshot, getSnapshot, listSnapshots, planSnapshot } from '@noema/contracts/snapshots.ts'
import { applyPlan, listSnapshotPage, planSource, readSnapshot } from '../../features/writing/snapshots/snapshots.ts'
import { defineBinding } from '../binding.ts'
import { findWrongOrigin } from '../check-origin.ts'
import { checkSource } from '../path-arguments.ts'
import { readSnapshotItems } from '../texts-of-files.ts'
import { settledAnswer, toSubmitter } from '../write-answer.ts'

export const snapshotBindings = [
  defineBinding(planSnapshot, async (deps, call) => {
    const { principal, params, body, idempotencyKey } = call
    const origins = body.items.map(({ provenance }, index) => ({ at: ['items', index], provenance }))
    const wrong = await findWrongOrigin(deps, { principal }, origins)
    if (wrong) throw wrong
    const source = checkSource(params.source)
    const items = await readSnapshotItems(deps, call)
    const request = { source, body: { ...body, items }, asked: body, idempotencyKey }
    return settledAnswer(await planSource(deps, toSubmitter(deps, principal), principal.brain.brainId, request))
  }),
  defineBinding(applySnapshot, async (deps, call) => {
    const { principal, params, body, idempotencyKey } = call
    const { snapshot } = params
    const request = { source: checkSource(params.source), snapshot, body, idempotencyKey }
    return settledAnswer(await applyPlan(deps, toSubmitter(deps, principal), principal.brain.brainId, request))
  }),
  defineBinding(getSnapshot, async (deps, { principal, params, query }) => ({
    json: await readSnapshot(
      deps,
      principal.brain,
      { source: checkSource(params.source), snapshot: params.snapshot },
      query,
    ),
  })),
  defineBinding(listSnapshots, async (deps, { principal, params, query }) => ({
    data: await listSnapshotPage(deps, principal.brain, checkSource(params.source), query),
  })),
]
