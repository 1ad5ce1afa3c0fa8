import { listAudit } from '@noema/contracts/audit.ts'
import type { ManagerPrincipal } from '../../access/principal.ts'
import { findRole } from '../../features/accounts/auth/account-queries.ts'
import { listAuditPage } from '../../features/platform/audit/audit.ts'
import { forbidden } from '../../shared/errors.ts'
import type { AppDeps } from '../app-deps.ts'
import { defineBinding } from '../binding.ts'
import { type ListPage, listAnswer } from '../list-answer.ts'

/** Refuses everyone but owners and admins; a key speaks for the person who minted it. */
const checkRole = async ({ db }: AppDeps, { organization, userId }: ManagerPrincipal): Promise<string> => {
  const role = await findRole(db, organization.id, userId)
  if (role !== 'owner' && role !== 'admin')
    throw forbidden('The audit log is for owners and admins of the organization.')
  return role
}

export const auditBindings = [
  defineBinding(listAudit, async (deps, { principal, query }) => {
    const role = await checkRole(deps, principal)
    const organizationId = principal.organization.id
    const { action, target, actor, from, to } = query
    // Owners answer for the whole organization; admins see nothing of Brains that are not open to them.
    const viewer = role === 'owner' ? undefined : principal.viewer
    const filter = { organizationId, action, target, actor, from, to, viewer }
    const list = {
      scope: deps.listScope(organizationId),
      list: `audit:${JSON.stringify([action, target, ...((actor ?? from ?? to) ? [actor, from, to] : [])])}`,
      start: '',
    }
    const read = (page: ListPage) => listAuditPage(deps.db, filter, page)
    return listAnswer('entries', list, query, read, ({ id }) => id)
  }),
]
