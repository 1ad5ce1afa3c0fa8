import type { Limits } from '../config/config.ts'
import type { Caps } from '../config/tiers.ts'

/** What an organization pays for, which sets what it may spend. */
export type Tier = 'free' | 'business' | 'enterprise' | 'staff'

/** What an organization may keep and write: by its tier, and least while none of its owners has confirmed an address. */
export const findCaps = (limits: Pick<Limits, 'caps'>, { tier, verified }: { tier: Tier; verified: boolean }): Caps =>
  tier === 'staff' || verified ? limits.caps[tier] : limits.caps.unverified
