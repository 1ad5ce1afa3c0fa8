import type { Holder } from '../shared/shares.ts'
import type { Principal } from './principal.ts'

/** Whose share a call is counted in: the organization that it acts in, and its key or person. */
export const toHolder = (principal: Exclude<Principal, { kind: 'public' }>): Holder => ({
  // A session that names no organization is counted by its person.
  organization: principal.organization?.id ?? principal.actor.id,
  key: `${principal.organization?.id ?? ''} ${principal.actor.id}`,
})

/** Whose turns work is counted as: an organization's, or of all that call without a credential. */
export const toTenant = (principal: Principal): string =>
  principal.kind === 'public' ? 'public' : toHolder(principal).organization
