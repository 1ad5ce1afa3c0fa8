import type { Capability } from '@noema/contracts/access.ts'
import type { BrainKey } from '@noema/contracts/keys.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** What every page of a Brain's keys is kept under. */
export const brainKeysKey = ({ organization }: Session, handle: string) => [organization.id, 'brain', handle, 'keys']

/** The keys of a Brain, the newest first, also those that work no more. */
export const brainKeysQuery = (session: Session, handle: string) =>
  infiniteQueryOptions({
    queryKey: brainKeysKey(session, handle),
    queryFn: ({ pageParam, signal }) =>
      session.client.brain(handle).keys.list({ order: 'desc', after: pageParam, limit: 200 }, { signal }),
    ...paging,
    // When a key was used last is told by no event.
    refetchInterval: 10_000,
  })

/** Each capability, and what it lets somebody do, in the order in which the service lists them. */
export const capabilityWords: Readonly<Record<Capability, string>> = {
  read: 'Search and query, read everything in it with its history, and follow its events.',
  write: 'Write and delete records, statements and documents. In review mode, each waits for a decision.',
  review: 'See changes that wait, decide about them, publish and schedule them. Reverting one needs write, too.',
  admin: 'Change its mode, its review rules and its schema, and lead its events to URLs by webhooks.',
}

export const allCapabilities: readonly Capability[] = ['read', 'write', 'review', 'admin']

/** Whether a key was replaced and works a little longer, so that what uses it can change over. */
export const isEnding = ({ status, replacedBy, expiresAt }: BrainKey): boolean =>
  status === 'active' && replacedBy !== null && expiresAt !== null
