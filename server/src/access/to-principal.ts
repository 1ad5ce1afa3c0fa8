import type { BrainRole, Capability } from '@noema/contracts/access.ts'
import { roleCapabilities } from '@noema/contracts/access.ts'
import type { Actor } from '../shared/actor.ts'
import type { FoundAgentsGrant, FoundBrainGrant } from './app-queries.ts'
import type { ActingApp, BrainPrincipal, ManagementPrincipal } from './principal.ts'
import type { FoundAccess, FoundBrainKey, FoundManagementKey } from './queries.ts'

// Makes principals of found rows. A key, a run or an app may do what it was given, as far as the person behind it may.

type PersonalAccess = Pick<ManagementPrincipal, 'brain' | 'brainRole' | 'closedBrain' | 'viewer'>

/** The access of a person who is a member of no organization that the request names. */
export const noAccess: PersonalAccess = {
  ...{ brain: undefined, brainRole: undefined, closedBrain: undefined, viewer: undefined },
}

/** Returns a person's access. A Brain that is not open to them is one that is not there, except for owners. */
export const toPersonalAccess = (row: FoundAccess, userId: string): PersonalAccess => {
  const viewer = row.isLimited ? userId : undefined
  if (row.brainId === null) return { ...noAccess, viewer }
  if (row.brainRole !== null) return { brain: row, brainRole: row.brainRole, closedBrain: undefined, viewer }
  return { ...noAccess, closedBrain: row.memberRole === 'owner' ? row : undefined, viewer }
}

/** Leaves of the capabilities of a key or a run those that the person behind it has by their role. */
export const limitCapabilities = (granted: readonly Capability[], role: BrainRole): readonly Capability[] =>
  role === 'manager' ? granted : granted.filter((one) => roleCapabilities[role].includes(one))

export const toManagementPrincipal = (row: FoundManagementKey): ManagementPrincipal => ({
  kind: 'management',
  actor: { type: 'key', id: row.keyId, userId: row.userId },
  userId: row.userId,
  keyCreatedAt: row.keyCreatedAt,
  organization: { id: row.keyOrganizationId, name: row.organizationName, tier: row.tier, verified: row.verified },
  ...toPersonalAccess(row, row.userId),
})

const brainKeyActor = ({ keyId, userId, line, rotatedBy }: FoundBrainKey): Actor => ({
  type: 'key',
  id: keyId,
  ...(userId === null ? {} : { userId }),
  ...(line === null ? {} : { line }),
  ...(rotatedBy === null || rotatedBy.length === 0 ? {} : { rotatedBy }),
})

export const toBrainPrincipal = (row: FoundBrainKey): BrainPrincipal => ({
  kind: 'brain',
  actor: brainKeyActor(row),
  organization: { id: row.organizationId, name: row.organizationName, tier: row.tier, verified: row.verified },
  capabilities: limitCapabilities(row.capabilities, row.brainRole),
  brain: row,
})

/** The app of a grant, with the capabilities that its token has the scopes for. */
const toApp = (granted: readonly Capability[], { scopes, appName }: FoundBrainGrant | FoundAgentsGrant): ActingApp => ({
  name: appName,
  capabilities: granted.filter((name) => scopes.includes(name)),
})

export const toBrainGrant = (row: FoundBrainGrant): BrainPrincipal => {
  const principal = toBrainPrincipal(row)
  const app = toApp(principal.capabilities, row)
  return { ...principal, capabilities: app.capabilities, app }
}

export const toAgentsGrant = (row: FoundAgentsGrant): ManagementPrincipal => ({
  ...toManagementPrincipal(row),
  app: toApp(row.capabilities, row),
})
