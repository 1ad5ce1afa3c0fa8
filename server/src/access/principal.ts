import type { Capability } from '@noema/contracts/access.ts'
import type { BrainRow } from '../features/brain/brains/brains.ts'
import type { Tier } from './caps.ts'

/** The organization that a key belongs to, and whether one of its owners has confirmed their address. */
type Organization = { id: string; name: string; tier: Tier; verified: boolean }

/** A management key: every Brain of one organization. `brain` is the one that the request's path names, if it exists. */
export type ManagementCaller = {
  kind: 'management'
  keyId: string
  userId: string
  organization: Organization
  brain: BrainRow | undefined
}

/** A Brain key: one Brain, with the granted capabilities only. */
export type BrainCaller = {
  kind: 'brain'
  keyId: string
  organization: Organization
  capabilities: readonly Capability[]
  brain: BrainRow
}

/** A signed-in browser session. */
export type SessionCaller = { kind: 'session'; userId: string; email: string; emailVerified: boolean }

/** Nobody in particular. */
type PublicCaller = { kind: 'public' }

/** Who is calling. */
export type Caller = ManagementCaller | BrainCaller | SessionCaller | PublicCaller
