import type { Provenance } from '@noema/contracts/common.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import { conflict } from '../../../shared/errors.ts'

// Versions of records, statements and documents: the parts that these kinds share.

/** Refuses a write that expects another version than the current one (D-06). */
export const checkVersion = (what: string, expected: number | undefined, current: number | null): void => {
  if (expected === undefined || expected === current) return
  const now = current === null ? 'does not exist' : `is at version ${current}`
  throw conflict(
    `${what} ${now}, not at version ${expected}. Read it again, and repeat the write if it still applies.`,
    {
      code: 'stale_version',
      details: [{ path: ['ifMatch'], message: `The current version is ${current}.`, current }],
    },
  )
}

/** The provenance that all versions of a change share: the change, and its writer. */
export const toProvenance = (change: string, actor: Actor): Provenance => ({
  change,
  key: actor.id,
  ...(actor.type === 'key' ? {} : { actor: summarizeActor(actor) }),
})
