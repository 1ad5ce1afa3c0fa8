import { handle as handleSchema } from '@noema/contracts/brains.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import { createLookUpRunner } from './heads.ts'
import type { ManagerPrincipal } from './principal.ts'
import { findMember } from './queries.ts'
import { noAccess, toPersonalAccess } from './to-principal.ts'

// A call to an organization's server may name a Brain among its arguments. The access of the person behind the caller is looked up for it, as
// it is for a Brain in the path of a request.

type Deps = { db: Db; prepared: RunPrepared; isDivided: boolean }

/** The principal of a caller at a Brain of its organization. Without access to it, it is one without a Brain. */
export const reachBrain = async (
  deps: Deps,
  principal: ManagerPrincipal,
  handle: string,
): Promise<ManagerPrincipal> => {
  const { userId, organization } = principal
  const named = handleSchema.safeParse(handle).data
  const requested = { userId, organizationId: organization.id, handle: named }
  const [row] = named === undefined ? [] : await createLookUpRunner(deps)(findMember, requested)
  return { ...principal, ...(row ? toPersonalAccess(row, userId) : noAccess) }
}
