import type { BrainClient } from '@noema/sdk'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

// The queries of a Brain's overview, except its counts.

/** The maximum number of items in a panel. */
export const shownInPanel = 6

/** Changes that wait for a decision, newest first. */
export const waitingChangesQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'changes', 'waiting'],
    queryFn: ({ signal }) =>
      client.changes.list({ brain: handle, decision: 'pending', limit: shownInPanel, order: 'desc' }, { signal }),
  })

/** The next dates that will become events. */
export const comingDatesQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'records', 'dates'],
    queryFn: ({ signal }) => client.brain(handle).dates.list({ limit: shownInPanel }, { signal }),
  })

/** The latest receipts, which show the readers. */
export const newestReadsQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'receipts', 'newest'],
    queryFn: ({ signal }) => client.brain(handle).receipts.list({ limit: 200, order: 'desc' }, { signal }),
    refetchInterval: 10_000,
  })

/** A rare type of event: a page that is filtered by it skips thousands of others at once. */
const rareType = 'availability.changed'

/**
 * A cursor shortly before the newest event, so that a page of a Brain with a long history need not load all of it. A page skips
 * at most 10,000 filtered events, so the start of the last page is close enough.
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
    // A query must return a value, also for a Brain with a short history.
    queryFn: async ({ signal }) => (await findRecentCursor(client.brain(handle), signal)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
