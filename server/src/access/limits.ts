import type { Limits as AllLimits } from '../config/config.ts'
import type { Caps } from '../config/tiers.ts'
import { type Bucket, type Rate, type Rates, toRateRefusal } from '../features/platform/rates/rates.ts'
import type { Clock } from '../shared/clock.ts'
import type { Subject } from '../shared/concurrency/fair-limiter.ts'
import { toClientNetwork } from '../shared/network/client-network.ts'
import type { Organization } from './organization.ts'
import type { Principal } from './principal.ts'

// Limits on what an organization may store, write and send, and the subject that a call counts for.

/** The tiers of organizations. */
export type Tier = 'free' | 'business' | 'enterprise' | 'staff'

/** An organization's tier, and whether one of its owners has confirmed their address. */
type Standing = { tier: Tier; verified: boolean }

/**
 * Returns the storage and write caps of an organization: those of its tier, or the lowest until an owner has confirmed an
 * address.
 */
export const findCaps = (limits: Pick<AllLimits, 'caps'>, { tier, verified }: Standing): Caps =>
  tier === 'staff' || verified ? limits.caps[tier] : limits.caps.unverified

/** Returns the subject that a call counts for: the organization that it acts in, and its key or person. */
export const toSubject = (principal: Exclude<Principal, { kind: 'public' }>): Subject => ({
  // A session that names no organization counts for its person.
  organization: principal.organization?.id ?? principal.actor.id,
  key: `${principal.organization?.id ?? ''} ${principal.actor.id}`,
})

/** Returns the subject of a call without a credential: the network of the address that it came from. */
export const toAddressSubject = (address: string): Subject => {
  const network = toClientNetwork(address)
  return { organization: `address ${network}`, key: network }
}

type Limits = Pick<AllLimits, 'rates'>

const findRate = ({ rates }: Limits, { tier, verified }: Standing): Rate | undefined =>
  tier === 'staff' || verified ? rates[tier] : rates.unverified

const multiply = ({ perSecond, burst }: Rate, by: number): Rate => ({ perSecond: perSecond * by, burst: burst * by })

/** Returns the rates of a key and of its organization altogether; null means no limit. */
export const findRates = (limits: Limits, organization: Organization): { key: Rate; organization: Rate } | null => {
  const key = findRate(limits, organization)
  return key ? { key, organization: multiply(key, limits.rates.organizationFactor) } : null
}

/**
 * The token buckets that a caller's requests are taken from: the key's, or the person's in an organization, and the organization's;
 * the address's for a call without a credential. None if there is no limit.
 */
export const listBuckets = (
  limits: Limits,
  subject: Subject,
  organization: Standing | 'none' | 'address',
): readonly Bucket[] => {
  if (organization === 'address') return [{ label: 'address', name: subject.organization, rate: limits.rates.address }]
  const rate = organization === 'none' ? limits.rates.unverified : findRate(limits, organization)
  if (!rate) return []
  return [
    { label: 'key', name: `key ${subject.key}`, rate },
    {
      label: 'organization',
      name: `organization ${subject.organization}`,
      rate: multiply(rate, limits.rates.organizationFactor),
    },
  ]
}

/** The bucket that counts the refused credentials of an address's network. */
export const failureBucket = (limits: Limits, address: string): Bucket => ({
  label: 'failures',
  name: `failures of ${toClientNetwork(address)}`,
  rate: limits.rates.failures,
})

/** Counts a call as more requests than the one that it was counted as when it arrived. Refuses it where these are too many. */
export const countMore = (
  deps: { limits: Limits; rates: Rates; clock: Clock },
  { subject, organization }: { subject: Subject; organization: Standing },
  more: number,
): void => {
  const [first, ...others] = listBuckets(deps.limits, subject, organization)
  if (!first || more < 1) return
  const taken = deps.rates.take([first, ...others], deps.clock.now(), more)
  if (!taken.isAllowed) throw toRateRefusal(taken)
}
