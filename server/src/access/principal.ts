import type { BrainRole, Capability } from '@noema/contracts/access.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import type { Actor } from '../shared/actor.ts'
import type { Viewer } from '../storage/brain-access.ts'
import type { Organization } from './organization.ts'

/** The app behind a principal: its capabilities are those that a member gave it, and it reaches only what it was let in to. */
export type ActingApp = { name: string; capabilities: readonly Capability[] }

/** The access of a person to the Brains of an organization, and to the one that the request's path names. */
type PersonalAccess = {
  /** The Brain that the path names, if it exists and is open to the person. */
  brain: BrainRow | undefined
  /** Their role in it: `manager` if it is open to the organization. */
  brainRole: BrainRole | undefined
  /** The restricted Brain that the path names, for an owner of the organization without a role in it. */
  closedBrain: BrainRow | undefined
  /** The person, if not every Brain of the organization is open to them for review. */
  viewer: Viewer
}

/** A management key: every Brain of one organization that is open to the person who minted it. */
export type ManagementPrincipal = PersonalAccess & {
  kind: 'management'
  actor: Actor
  userId: string
  keyCreatedAt: Date
  organization: Organization
  /** Set for the grant of an app, which reaches the agents of the organization alone. */
  app?: ActingApp
}

/** A Brain key: one Brain, with the granted capabilities only. */
export type BrainPrincipal = {
  kind: 'brain'
  actor: Actor
  organization: Organization
  capabilities: readonly Capability[]
  brain: BrainRow
  /** Set for the grant of an app. */
  app?: ActingApp
}

/** A signed-in browser session. */
export type SessionPrincipal = PersonalAccess & {
  kind: 'session'
  actor: Actor
  userId: string
  email: string
  emailVerified: boolean
  signedInAt: Date
  /** The organization that the request names, with its details if the user is a member. */
  namedOrganization: string | undefined
  organization: Organization | undefined
  /** Their role in that organization. */
  role: string | undefined
}

/** The session of a member, who acts in the organization as its management keys do (D-13b). */
export type MemberPrincipal = SessionPrincipal & { organization: Organization; role: string }

/** A caller who may manage an organization: on each of its Brains with the capabilities of their role. */
export type ManagerPrincipal = ManagementPrincipal | MemberPrincipal

/** A caller who may be an administrator of the whole service. */
export type AdministratorPrincipal = ManagementPrincipal | SessionPrincipal

/** A caller without a credential. */
type PublicPrincipal = { kind: 'public' }

/** The caller of a request. Stored rows keep its `actor`. */
export type Principal = ManagementPrincipal | BrainPrincipal | SessionPrincipal | PublicPrincipal
