import { exportBrain, importBrain } from '@noema/contracts/exports.ts'
import { findCaps, toSubject } from '../../access/limits.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import type { BrainRow } from '../../features/kernel/brains/brain-queries.ts'
import { brainView, noSuchBrain } from '../../features/kernel/brains/brains.ts'
import { exportBrainLines, importBrainLines } from '../../features/writing/transfers/transfers.ts'
import { defineBinding } from '../binding.ts'

const requireBrain = ({ brain }: ManagerPrincipal, handle: string): BrainRow => {
  if (!brain) throw noSuchBrain(handle)
  return brain
}

export const transferBindings = [
  defineBinding(exportBrain, async (deps, { principal, params, query, isStillAllowed }) => {
    const brain = requireBrain(principal, params.handle)
    const given = { history: query.history ?? false, subject: toSubject(principal), isStillAllowed }
    return { ndjson: exportBrainLines(deps, brain, given) }
  }),
  defineBinding(importBrain, async (deps, { principal, params, body, isStillAllowed }) => {
    const { brainId } = requireBrain(principal, params.handle)
    const caps = findCaps(deps.limits, principal.organization)
    const target = { brainId, caps, by: principal.actor, subject: toSubject(principal), isStillAllowed }
    const { brain, imported } = await importBrainLines(deps, target, body)
    return { data: { brain: brainView(brain), imported } }
  }),
]
