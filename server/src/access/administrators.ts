import type { RunPrepared } from '../storage/database.ts'
import type { Principal } from './principal.ts'
import { findPersonProof } from './queries.ts'

/** What tells who the administrators are. */
export type AdministratorDeps = { prepared: RunPrepared; adminEmails: readonly string[] }

/**
 * Whether a person administers the whole service: whoever NOEMA_ADMIN_EMAILS names and has proven to be theirs, or the first
 * account where it names nobody. A management key speaks for the person who minted it (D-17), if it was minted when the
 * account was proven already: anyone may sign up with an address that is not theirs.
 */
export const isAdministrator = async (deps: AdministratorDeps, principal: Principal): Promise<boolean> => {
  if (principal.kind !== 'session' && principal.kind !== 'management') return false
  const asksFirst = deps.adminEmails.length === 0
  const [person] = await deps.prepared(findPersonProof({ userId: principal.userId, asksFirst }))
  if (!person) return false
  const { email, emailVerified, provenAt } = person
  if (principal.kind === 'management' && provenAt !== null && principal.keyCreatedAt < provenAt) return false
  // On a fresh node nobody else is there who could be wronged, and its mail may have nowhere to go.
  if (asksFirst) return person.isFirst
  if (!emailVerified || provenAt === null) return false
  return deps.adminEmails.some((name) => name.toLowerCase() === email.toLowerCase())
}
