import { handle as handleSchema } from '@noema/contracts/brains.ts'
import { createHeadLookUp, createLookUpRunner, type LookUpDeps } from './heads.ts'
import type { ManagerPrincipal } from './principal.ts'
import { findMember } from './queries.ts'
import { noAccess, toPersonalAccess } from './to-principal.ts'

// A call to an organization's server may name a Brain among its arguments. The access of the person behind the caller is looked up for it, as
// it is for a Brain in the path of a request.

/** The principal of a caller at a Brain of its organization. Without access to it, it is one without a Brain. */
export const reachBrain = async (
  deps: LookUpDeps,
  principal: ManagerPrincipal,
  handle: string,
): Promise<ManagerPrincipal> => {
  const { userId, organization } = principal
  const named = handleSchema.safeParse(handle).data
  const requested = { userId, organizationId: organization.id, handle: named }
  const [found] = named === undefined ? [] : await createLookUpRunner(deps)(findMember, requested)
  const addHead = createHeadLookUp(deps)
  const row = found && addHead ? await addHead(found) : found
  return { ...principal, ...(row ? toPersonalAccess(row, userId) : noAccess) }
}
