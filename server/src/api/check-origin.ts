import type { provenanceInput } from '@noema/contracts/common.ts'
import type { z } from 'zod'
import type { BrainPrincipal, ManagerPrincipal } from '../access/principal.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import { findKnownReceipts } from '../features/retrieval/receipts/receipts.ts'
import { type ApiError, invalidArgument, type Path } from '../shared/errors.ts'
import type { AppDeps } from './app-deps.ts'

// A write stores what it claims about the origin of its knowledge, so the claim must be true (D-35).

/** The origin that one item of a write claims, and the path of the item in the arguments. */
export type Origin = { at: Path; provenance?: z.output<typeof provenanceInput> | undefined }

type Writer = { principal: (ManagerPrincipal | BrainPrincipal) & { brain: BrainRow } }

/** The refusal of an origin that is not so: trust that only people may give, or a receipt that is not one of this Brain. */
export const findWrongOrigin = async (
  deps: AppDeps,
  { principal }: Writer,
  origins: readonly Origin[],
): Promise<ApiError | undefined> => {
  const trusting = origins.find(({ provenance }) => provenance?.trust === 'trusted')
  if (trusting && principal.kind === 'brain')
    return invalidArgument(
      [...trusting.at, 'provenance', 'trust'],
      'A Brain key cannot say that what it writes is trusted; people do. Leave it out, or send unverified.',
    )
  const receipts = origins.flatMap(({ provenance }) => provenance?.receipt ?? [])
  if (receipts.length === 0) return undefined
  const known = await findKnownReceipts(deps, principal.brain.brainId, receipts)
  const wrong = origins.find(({ provenance }) => provenance?.receipt !== undefined && !known.has(provenance.receipt))
  return (
    wrong &&
    invalidArgument(
      [...wrong.at, 'provenance', 'receipt'],
      'This is not a receipt of this Brain. Send the one that a search, a context or a query of this Brain answered.',
    )
  )
}
