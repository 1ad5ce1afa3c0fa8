import type { Provenance } from '@noema/contracts/common.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'

/** What a version knows of its making: the change, who wrote it, and what they said of its source. */
export const toProvenance = (
  given: Partial<Provenance> | undefined,
  { change, actor }: { change: string; actor: Actor },
): Provenance => ({
  ...given,
  change,
  key: actor.id,
  ...(actor.type === 'key' ? {} : { actor: summarizeActor(actor) }),
})
