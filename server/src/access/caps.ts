import type { Caps, Config } from '../config/config.ts'

/** What an organization pays for, which sets what it may spend. */
export type Tier = 'free' | 'business' | 'enterprise' | 'staff'

/** What an organization may keep and write: by its tier, and least while none of its owners has confirmed an address. */
export const findCaps = (config: Pick<Config, 'caps'>, { tier, verified }: { tier: Tier; verified: boolean }): Caps =>
  tier === 'staff' || verified ? config.caps[tier] : config.caps.unverified
