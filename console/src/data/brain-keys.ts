import type { Capability } from '@noema/contracts/access.ts'
import type { BrainKey } from '@noema/contracts/keys.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The prefix of all queries of a Brain's keys. */
export const brainKeysKey = ({ organization }: Session, handle: string) => [organization.id, 'brain', handle, 'keys']

/** The keys of a Brain, newest first, including revoked ones. */
export const brainKeysQuery = (session: Session, handle: string) =>
  infiniteQueryOptions({
    queryKey: brainKeysKey(session, handle),
    queryFn: ({ pageParam, signal }) =>
      session.client.brain(handle).keys.list({ order: 'desc', after: pageParam, limit: 200 }, { signal }),
    ...paging,
    // No event reports the last use of a key.
    refetchInterval: 10_000,
  })

/** Each capability with its description, in the order of the service. */
export const capabilityWords: Readonly<Record<Capability, string>> = {
  read: 'Search and query, read all content and its history, and follow events.',
  write: 'Write and delete records, statements and documents. In review mode, each write waits for a decision.',
  review: 'Read pending changes, decide about them, publish and schedule them. A revert also needs write.',
  admin: 'Change the mode, review rules and schema of the Brain, and manage its webhooks.',
}

export const allCapabilities: readonly Capability[] = ['read', 'write', 'review', 'admin']

/** True if a key was replaced and still works for a while, so that its users can switch. */
export const isEnding = ({ status, replacedBy, expiresAt }: BrainKey): boolean =>
  status === 'active' && replacedBy !== null && expiresAt !== null
