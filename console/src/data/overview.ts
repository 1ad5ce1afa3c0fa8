import type { BrainClient } from '@noema/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// What the overview of a Brain shows beside its counts.

/** How many of each a panel shows. */
export const shownInPanel = 6

/** Changes that wait for a decision, newest first. */
export const waitingChangesQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'changes', 'waiting'],
    queryFn: ({ signal }) =>
      client.changes.list({ brain: handle, decision: 'pending', limit: shownInPanel, order: 'desc' }, { signal }),
  })

/** The next dates that the stream will tell of. */
export const comingDatesQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'dates'],
    queryFn: ({ signal }) => client.brain(handle).dates.list({ limit: shownInPanel }, { signal }),
  })

/** The newest reads, by which it is told who reads. */
export const newestReadsQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', 'newest'],
    queryFn: ({ signal }) => client.brain(handle).receipts.list({ limit: 200, order: 'desc' }, { signal }),
    refetchInterval: 10_000,
  })

/** A type of which there are hardly any: a page that looks for it goes over thousands of others at once. */
const rareType = 'availability.changed'

/**
 * A cursor not long before the newest event, so that a page of a Brain with a long past need not read all of it. A page moves
 * over at most 10,000 events that it leaves out; where the last page begins is near enough.
 */
const findRecentCursor = async (brain: BrainClient, signal: AbortSignal): Promise<string | undefined> => {
  let after: string | undefined
  for (;;) {
    const page = await brain.events.list({ after, types: [rareType], limit: 500 }, { signal })
    if (!page.hasMore) return after
    after = page.cursor
  }
}

export const recentCursorQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'recent-cursor'],
    // A query has to give something, also for a Brain whose past is short.
    queryFn: async ({ signal }) => (await findRecentCursor(client.brain(handle), signal)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
