import type { Tier } from './limits.ts'

/** The organization that a principal acts in, and whether one of its owners has confirmed their address. */
export type Organization = { id: string; name: string; tier: Tier; verified: boolean }
