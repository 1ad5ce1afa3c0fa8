import { exportBrain, importBrain } from '@noema/contracts/exports.ts'
import { capsOf } from '../../access/caps.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { type BrainRow, brainView, noSuchBrain } from '../../features/brain/brains/brains.ts'
import { exportBrainLines, importBrainLines } from '../../features/writing/transfers/transfers.ts'
import { defineBinding } from '../binding.ts'

const brainOf = ({ brain }: ManagerPrincipal, handle: string): BrainRow => {
  if (!brain) throw noSuchBrain(handle)
  return brain
}

export const transferBindings = [
  defineBinding(exportBrain, async (deps, { principal, params, query }) => ({
    ndjson: exportBrainLines(deps, brainOf(principal, params.handle), { history: query.history ?? false }),
  })),
  defineBinding(importBrain, async (deps, { principal, params, body }) => {
    const { brainId } = brainOf(principal, params.handle)
    const target = { brainId, caps: capsOf(deps, principal.organization) }
    const { brain, imported } = await importBrainLines(deps, target, body)
    return { data: { brain: brainView(brain), imported } }
  }),
]
