import type { AuditAction } from '@noema/contracts/audit.ts'
import { addAudit } from '../../platform/audit/audit.ts'
import { selectMemberships } from './account-queries.ts'
import { defineNote, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'

/** Who is signed in, of a call that changes an organization. */
export const caller = defineNote<string>()

type Person = { id: string; email: string }

/** Keeps what was done to a member or an invitation in the audit log, by whoever made the call that goes on. */
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
 * Keeps what a person did to their own account in the audit log of each organization that they belong to, in the transaction of the
 * call that goes on. What the account is called and how it signs in is nothing of the organizations'.
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
