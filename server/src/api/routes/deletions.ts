import {
  deleteAccount,
  deleteOrganization,
  exportOrganization,
  previewAccountDeletion,
  previewOrganizationDeletion,
} from '@noema/contracts/deletions.ts'
import { endAccess } from '../../access/end-access.ts'
import { toSubject } from '../../access/limits.ts'
import type { MemberPrincipal } from '../../access/principal.ts'
import { findRole } from '../../features/accounts/auth/account-queries.ts'
import * as accountDeletion from '../../features/deletions/account-deletion/account-deletion.ts'
import { previewEnd } from '../../features/deletions/organization-deletion/delete-organization.ts'
import * as organizationDeletion from '../../features/deletions/organization-deletion/organization-deletion.ts'
import { readOrganizationLines } from '../../features/deletions/organization-export/organization-export.ts'
import { streamTransfer } from '../../features/writing/transfers/transfers.ts'
import { forbidden } from '../../shared/errors.ts'
import { defineBinding } from '../binding.ts'

const checkOwner = ({ role }: MemberPrincipal): void => {
  if (role !== 'owner') throw organizationDeletion.refuseStranger()
}

export const endingBindings = [
  defineBinding(exportOrganization, async (deps, { principal, query, isStillAllowed }) => {
    const { organization, userId } = principal
    if ((await findRole(deps.db, organization.id, userId)) !== 'owner')
      throw forbidden(
        'Only owners may export the whole organization; everyone who manages Brains may export any Brain.',
      )
    const transferer = { subject: toSubject(principal), isStillAllowed }
    const pieces = readOrganizationLines(
      deps,
      { organizationId: organization.id, viewer: principal.viewer },
      query.history ?? false,
    )
    return { ndjson: streamTransfer(deps, transferer, pieces) }
  }),
  defineBinding(previewOrganizationDeletion, async (deps, { principal }) => {
    checkOwner(principal)
    return { data: await previewEnd(deps, principal.organization.id) }
  }),
  defineBinding(deleteOrganization, async (deps, { principal, body }) => {
    checkOwner(principal)
    const { organization, userId, actor } = principal
    const owner = { organizationId: organization.id, userId, actor }
    return { data: { deleted: true, erased: await organizationDeletion.deleteOrganization(deps, owner, body.confirm) } }
  }),
  defineBinding(previewAccountDeletion, async (deps, { principal }) => ({
    data: await accountDeletion.previewAccountEnd(deps, principal),
  })),
  defineBinding(deleteAccount, async (deps, { principal, body }) => ({
    data: { deleted: true, organizations: await accountDeletion.endAccount({ ...deps, endAccess }, principal, body) },
  })),
]
