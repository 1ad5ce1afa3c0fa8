import { selectAccountEmail, selectFirstAccount } from '../features/accounts/auth/auth.ts'
import type { Db } from '../storage/database.ts'
import type { Principal } from './principal.ts'

/** What tells who the administrators are. */
export type AdministratorDeps = { db: Db; adminEmails: readonly string[] }

/**
 * Whether a person administers the whole service: whoever NOEMA_ADMIN_EMAILS names and has confirmed the address, or the
 * first account where it names nobody. A management key speaks for the person who minted it (D-17).
 */
export const isAdministrator = async (deps: AdministratorDeps, principal: Principal): Promise<boolean> => {
  if (principal.kind !== 'session' && principal.kind !== 'management') return false
  if (deps.adminEmails.length === 0) return (await selectFirstAccount(deps.db)) === principal.userId
  // An address counts once it is confirmed: anyone may sign up with an address that is not theirs.
  const email = await selectAccountEmail(deps.db, principal.userId)
  return email !== undefined && deps.adminEmails.some((name) => name.toLowerCase() === email.toLowerCase())
}
