import type { AuditAction } from '@noema/contracts/audit.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { selectMemberships } from './account-queries.ts'
import { defineCallValue, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './types.ts'

/** The person whose call changes an organization. */
export const caller = defineCallValue<string>()

type Person = { id: string; email: string }

/** Logs a change to a member or an invitation in the audit log, as an act of the current caller. */
export const auditMember = (
  deps: Pick<AuthDeps, 'db' | 'clock'>,
  { organizationId, action, person }: { organizationId: string; action: AuditAction; person: Person },
  changed: { before?: { role: string }; after?: { role: string } } = {},
): Promise<void> =>
  withAuthConnection(deps.db, (db) => {
    const id = caller.get() ?? person.id
    const target = {
      type: action.startsWith('invitation') ? 'invitation' : 'member',
      id: person.id,
      name: person.email,
    }
    const by = { type: 'session', id, userId: id } as const
    return addAudit(db, { organizationId, by, action, target, ...changed }, deps.clock.now())
  })

/**
 * Logs a person's change to their own account in the audit log of each of their organizations, in the transaction of the current
 * call. The name and sign-in methods of the account stay out of it, because they are no business of the organizations.
 */
export const auditAccount = (
  deps: Pick<AuthDeps, 'db' | 'clock'>,
  { action, userId }: { action: Extract<AuditAction, `account.${string}`>; userId: string },
): Promise<void> =>
  withAuthConnection(deps.db, async (db) => {
    const by = { type: 'session', id: userId, userId } as const
    const target = { type: 'account', id: userId }
    for (const organizationId of await selectMemberships(db, userId))
      await addAudit(db, { organizationId, by, action, target }, deps.clock.now())
  })
