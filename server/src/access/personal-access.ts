import type { BrainRole, Capability } from '@noema/contracts/access.ts'
import { roleCapabilities } from '@noema/contracts/access.ts'
import type { BrainRow } from '../features/kernel/brains/brain-queries.ts'
import type { ManagementPrincipal } from './principal.ts'

/** The columns of a lookup about a person's access; the Brain is the one that the request's path names. */
export type FoundAccess = { memberRole: string; brainRole: BrainRole | null; isLimited: boolean } & (
  | BrainRow
  | { brainId: null }
)

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
