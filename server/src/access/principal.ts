import type { Capability } from '@noema/contracts/access.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import type { Actor } from '../shared/actor.ts'
import type { Organization } from './organization.ts'

/** A management key: every Brain of one organization. `brain` is the one that the request's path names, if it exists. */
export type ManagementPrincipal = {
  kind: 'management'
  actor: Actor
  userId: string
  keyCreatedAt: Date
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
export type SessionPrincipal = {
  kind: 'session'
  actor: Actor
  userId: string
  email: string
  emailVerified: boolean
  signedInAt: Date
  /** The organization that the request names, and what it is if the user is a member of it. */
  namedOrganization: string | undefined
  organization: Organization | undefined
  /** Their role in that organization. */
  role: string | undefined
  brain: BrainRow | undefined
}

/** The session of a member, who acts in the organization as its management keys do (D-13b). */
export type MemberPrincipal = SessionPrincipal & { organization: Organization; role: string }

/** Whoever may manage an organization: all four capabilities on every Brain of it. */
export type ManagerPrincipal = ManagementPrincipal | MemberPrincipal

/** Who may administer the whole service, if they do. */
export type AdministratorPrincipal = ManagementPrincipal | SessionPrincipal

/** Nobody in particular. */
type PublicPrincipal = { kind: 'public' }

/** Who calls. What is kept of them is their `actor`. */
export type Principal = ManagementPrincipal | BrainPrincipal | SessionPrincipal | PublicPrincipal
