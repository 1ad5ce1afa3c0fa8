import { addAudit, addAuditOfChange } from '../../platform/audit/audit.ts'
import { findOrganization } from './account-queries.ts'
import { withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './types.ts'

type Deps = Pick<AuthDeps, 'db' | 'clock'>

const toAct = (id: string, userId: string) => ({
  organizationId: id,
  by: { type: 'session', id: userId, userId } as const,
  target: { type: 'organization', id },
})

/** Logs a new organization in the audit log, in the transaction that makes it. */
export const auditNewOrganization = (
  deps: Deps,
  { id, name, slug }: { id: string; name: string; slug: string },
  userId: string,
): Promise<void> =>
  withAuthConnection(deps.db, (db) =>
    addAudit(db, { ...toAct(id, userId), action: 'organization.created', after: { name, slug } }, deps.clock.now()),
  )

/** Logs the new name of an organization in the audit log, in the transaction that changes it. */
export const auditOrganization = (
  deps: Deps,
  { id, given, userId }: { id: string; given: { name?: string; slug?: string }; userId: string },
): Promise<void> =>
  withAuthConnection(deps.db, async (db) => {
    const found = await findOrganization(db, id)
    if (!found) return
    const before = { name: found.name, slug: found.slug }
    const after = { name: given.name ?? before.name, slug: given.slug ?? before.slug }
    const act = { ...toAct(id, userId), action: 'organization.changed', before, after } as const
    await addAuditOfChange(db, act, deps.clock.now())
  })
