import type { Holder } from '../shared/concurrency/shares.ts'
import type { Principal } from './principal.ts'

/** Whose share a call is counted in: the organization that it acts in, and its key or person. */
export const toHolder = (principal: Exclude<Principal, { kind: 'public' }>): Holder => ({
  // A session that names no organization is counted by its person.
  organization: principal.organization?.id ?? principal.actor.id,
  key: `${principal.organization?.id ?? ''} ${principal.actor.id}`,
})

/** Whose share a call without a credential is counted in: that of the address that it came from. */
export const toAddressHolder = (address: string): Holder => ({ organization: `address ${address}`, key: address })
