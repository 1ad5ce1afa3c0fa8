import { exportBrain, importBrain } from '@noema/contracts/exports.ts'
import { findCaps } from '../../access/caps.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { type BrainRow, brainView, noSuchBrain } from '../../features/brain/brains/brains.ts'
import { exportBrainLines, importBrainLines } from '../../features/writing/transfers/transfers.ts'
import { defineBinding } from '../binding.ts'

const requireBrain = ({ brain }: ManagerPrincipal, handle: string): BrainRow => {
  if (!brain) throw noSuchBrain(handle)
  return brain
}

export const transferBindings = [
  defineBinding(exportBrain, async (deps, { principal, params, query }) => ({
    ndjson: exportBrainLines(deps, requireBrain(principal, params.handle), { history: query.history ?? false }),
  })),
  defineBinding(importBrain, async (deps, { principal, params, body }) => {
    const { brainId } = requireBrain(principal, params.handle)
    const target = { brainId, caps: findCaps(deps, principal.organization) }
    const { brain, imported } = await importBrainLines(deps, target, body)
    return { data: { brain: brainView(brain), imported } }
  }),
]
