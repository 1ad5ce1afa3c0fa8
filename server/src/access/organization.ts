import type { Tier } from './limits.ts'

/** The organization that a principal acts in, and whether one of its owners has confirmed their address. */
export type Organization = { id: string; name: string; tier: Tier; verified: boolean }

/** The organization of a row that was found with its details. */
export const toOrganization = (
  row: { organizationName: string; tier: Tier; verified: boolean },
  id: string,
): Organization => ({ id, name: row.organizationName, tier: row.tier, verified: row.verified })
