import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { createEval } from '@noema/contracts/evals.ts'
import type { Criterion } from '@noema/contracts/rubrics.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { Viewer } from '../../../storage/brain-access.ts'
import type { NoteVersion } from './install-items.ts'

type Acting = { organizationId: string; by: Actor; viewer: Viewer }

/**
 * Makes the evals and rubrics of packs. They belong to an area that imports this one, and are passed in. A change is made only to the
 * given version; another one is left as it is, and nothing is noted.
 */
export type PackedEvals = {
  findEval(organizationId: string, id: string): Promise<number | undefined>
  makeEval(acting: Acting, given: BodyOutput<typeof createEval>, note: NoteVersion): Promise<void>
  changeEval(
    acting: Acting & { id: string; version: number },
    given: BodyOutput<typeof createEval>,
    note: NoteVersion,
  ): Promise<void>
  findRubric(organizationId: string, name: string): Promise<number | undefined>
  /** `version`: that which is replaced, 0 for a new rubric. If the organization has one that no pack brought, 0 is noted. */
  storeRubric(
    acting: Acting & { name: string; version: number },
    criteria: readonly Criterion[],
    note: NoteVersion,
  ): Promise<void>
}
