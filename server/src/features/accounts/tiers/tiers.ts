import type { InvitationCode } from '@noema/contracts/admin.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Queryable } from '../../../storage/database.ts'
import { updateTier } from './queries.ts'

/** Sets what an organization may use, from its next request on. */
export const setTier = async (db: Queryable, organizationId: string, tier: InvitationCode['tier']): Promise<void> => {
  if (!(await updateTier(db, organizationId, tier)))
    throw notFound(`There is no organization ${JSON.stringify(organizationId)}.`)
}
