import type { Provenance } from '@noema/contracts/common.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'

/** What all versions that a change makes know of their making: the change, and who wrote it. */
export const toProvenance = (change: string, actor: Actor): Provenance => ({
  change,
  key: actor.id,
  ...(actor.type === 'key' ? {} : { actor: summarizeActor(actor) }),
})
