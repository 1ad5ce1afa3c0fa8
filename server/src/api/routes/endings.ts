import {
  deleteAccount,
  deleteOrganization,
  previewAccountDeletion,
  previewOrganizationDeletion,
} from '@noema/contracts/endings.ts'
import { endAccess } from '../../access/end-access.ts'
import type { MemberPrincipal } from '../../access/principal.ts'
import * as accountEnds from '../../features/endings/account-ends/account-ends.ts'
import * as organizationEnds from '../../features/endings/organization-ends/organization-ends.ts'
import { defineBinding } from '../binding.ts'

const checkOwner = ({ role }: MemberPrincipal): void => {
  if (role !== 'owner') throw organizationEnds.refuseStranger()
}

export const endingBindings = [
  defineBinding(previewOrganizationDeletion, async (deps, { principal }) => {
    checkOwner(principal)
    return { data: await organizationEnds.previewEnd(deps, principal.organization.id) }
  }),
  defineBinding(deleteOrganization, async (deps, { principal, body }) => {
    checkOwner(principal)
    const { organization, userId, actor } = principal
    const owner = { organizationId: organization.id, userId, actor }
    return { data: { deleted: true, erased: await organizationEnds.deleteOrganization(deps, owner, body.confirm) } }
  }),
  defineBinding(previewAccountDeletion, async (deps, { principal }) => ({
    data: await accountEnds.previewAccountEnd(deps, principal),
  })),
  defineBinding(deleteAccount, async (deps, { principal, body }) => ({
    data: { deleted: true, organizations: await accountEnds.endAccount({ ...deps, endAccess }, principal, body) },
  })),
]
