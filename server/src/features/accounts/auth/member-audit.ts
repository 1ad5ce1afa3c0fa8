import { addAudit } from '../../platform/audit/audit.ts'
import { defineNote, withAuthConnection } from './auth-work.ts'
import type { AuthDeps } from './better-auth.ts'

/** Who is signed in, of a call that changes an organization. */
export const caller = defineNote<string>()

type Person = { id: string; email: string }

/** Keeps what was done to a member or an invitation in the audit log, by whoever made the call that goes on. */
export const auditMember = (
  deps: Pick<AuthDeps, 'db' | 'clock'>,
  { organizationId, action, person }: { organizationId: string; action: string; person: Person },
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
