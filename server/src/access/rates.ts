import type { Limits as AllLimits } from '../config/config.ts'
import type { Bucket, Rate } from '../features/platform/rates/rates.ts'
import { toAddressHolder, toHolder } from './holder.ts'
import type { Organization } from './organization.ts'
import type { Principal } from './principal.ts'

type Limits = Pick<AllLimits, 'rates'>

const findRate = ({ rates }: Limits, { tier, verified }: Organization): Rate | undefined =>
  tier === 'staff' || verified ? rates[tier] : rates.unverified

const multiply = ({ perSecond, burst }: Rate, by: number): Rate => ({ perSecond: perSecond * by, burst: burst * by })

/** What a key, and an organization together, may send; null where there is no limit. */
export const findRates = (limits: Limits, organization: Organization): { key: Rate; organization: Rate } | null => {
  const key = findRate(limits, organization)
  return key ? { key, organization: multiply(key, limits.rates.organizationFactor) } : null
}

/**
 * The buckets that a caller's requests are taken from: the key's, or the person's in an organization, and the organization's;
 * the address's where nobody signs for it. None where there is no limit.
 */
export const listBuckets = (limits: Limits, principal: Principal, address: string): readonly Bucket[] => {
  if (principal.kind === 'public') return [{ name: toAddressHolder(address).organization, rate: limits.rates.address }]
  const { key, organization } = toHolder(principal)
  const rate = principal.organization ? findRate(limits, principal.organization) : limits.rates.unverified
  if (!rate) return []
  return [
    { name: `key ${key}`, rate },
    { name: `organization ${organization}`, rate: multiply(rate, limits.rates.organizationFactor) },
  ]
}

/** The bucket of what was refused a credential from an address. */
export const failureBucket = (limits: Limits, address: string): Bucket => ({
  name: `failures of ${address}`,
  rate: limits.rates.failures,
})
