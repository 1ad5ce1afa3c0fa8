import { z } from 'zod'
import { stateVersion } from './common.ts'

/** What was decided about a change. */
export const decision = z.enum(['pending', 'approved', 'rejected', 'superseded'])
export type Decision = z.infer<typeof decision>

/** Whether a change was applied to the Brain. */
export const application = z.enum(['not_applied', 'scheduled', 'blocked', 'applied', 'cancelled'])
export type Application = z.infer<typeof application>

/** A change as the answer to a write names it. */
export const changeRef = z.object({ id: z.string(), decision, application })
export type ChangeRef = z.infer<typeof changeRef>

/**
 * What every content write answers. `landed` (200, or 201 where it created): `stateVersion` is the state that it made.
 * `staged` (202): it waits for review and `stateVersion` is null. A write that changes nothing answers `landed` with the
 * change that made the current version.
 */
export const writeResult = {
  outcome: z.enum(['landed', 'staged']),
  change: changeRef,
  stateVersion: stateVersion.nullable(),
}

/** Ties a write to the change that it corrects. */
export const corrects = z.string().min(1).max(100).optional()
