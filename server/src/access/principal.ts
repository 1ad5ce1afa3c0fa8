import type { Capability } from '@noema/contracts/access.ts'
import type { BrainRow } from '../features/brain/brains/brains.ts'
import type { Actor } from '../shared/actor.ts'
import type { Tier } from './caps.ts'

/** The organization that a principal acts in, and whether one of its owners has confirmed their address. */
type Organization = { id: string; name: string; tier: Tier; verified: boolean }

/** A management key: every Brain of one organization. `brain` is the one that the request's path names, if it exists. */
export type ManagementPrincipal = {
  kind: 'management'
  actor: Actor
  userId: string
  organization: Organization
  brain: BrainRow | undefined
}

/** A Brain key: one Brain, with the granted capabilities only. */
export type BrainPrincipal = {
  kind: 'brain'
  actor: Actor
  organization: Organization
  capabilities: readonly Capability[]
  brain: BrainRow
}

/** A signed-in browser session. */
export type SessionPrincipal = { kind: 'session'; userId: string; email: string; emailVerified: boolean }

/** Nobody in particular. */
type PublicPrincipal = { kind: 'public' }

/** Who calls. What is kept of them is their `actor`. */
export type Principal = ManagementPrincipal | BrainPrincipal | SessionPrincipal | PublicPrincipal
