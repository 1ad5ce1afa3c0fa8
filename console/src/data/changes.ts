import type { changeDetail } from '@noema/contracts/changes.ts'
import type { OrganizationChange } from '@noema/contracts/organization-changes.ts'
import {
  type InfiniteData,
  infiniteQueryOptions,
  notifyManager,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import type { z } from 'zod'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'
import type { Shown } from './shown-changes.ts'

export type ChangeDetail = z.infer<typeof changeDetail>
export type ChangeItem = ChangeDetail['items'][number]
export type QueuedChange = OrganizationChange

const filters = {
  waiting: { decision: 'pending' },
  approved: { decision: 'approved', application: 'not_applied' },
  scheduled: { application: 'scheduled' },
  blocked: { application: 'blocked' },
  rejected: { decision: 'rejected' },
  published: { application: 'applied' },
  all: {},
} as const satisfies Record<Shown, object>

type Listed = { shown: Shown; brain?: string | undefined }

const listKey = ({ organization }: Session) => [organization.id, 'changes'] as const

/** The changes of all Brains or of one: pending ones oldest first, others newest first. */
export const changesQuery = (session: Session, { shown, brain }: Listed) =>
  infiniteQueryOptions({
    queryKey: [...listKey(session), 'list', shown, brain ?? null],
    queryFn: ({ pageParam, signal }) =>
      session.client.changes.list(
        {
          ...filters[shown],
          ...(brain !== undefined && { brain }),
          ...{ after: pageParam, limit: 100, order: shown === 'waiting' ? 'asc' : 'desc' },
        },
        { signal },
      ),
    ...paging,
    refetchInterval: 10_000,
  })

/** The newest changes of all Brains, in any state. */
export const newestChangesQuery = (session: Session) =>
  queryOptions({
    queryKey: [...listKey(session), 'newest'],
    queryFn: ({ signal }) => session.client.changes.list({ order: 'desc', limit: 12 }, { signal }),
    refetchInterval: 10_000,
  })

/** A change with its effect, before and after. */
export const changeQuery = ({ organization, client }: Session, handle: string, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'changes', id],
    queryFn: ({ signal }) => client.brain(handle).changes.get(id, { signal }),
    // Other writes may change its base.
    refetchInterval: 15_000,
  })

type Lists = InfiniteData<{ changes: QueuedChange[] }>

/** Removes a change from the pending list before the list is reloaded. */
export const dropWaiting = (queries: QueryClient, session: Session, id: string): void => {
  queries.setQueriesData<Lists>(
    { queryKey: [...listKey(session), 'list', 'waiting'] },
    (lists) =>
      lists && {
        ...lists,
        pages: lists.pages.map((page) => ({ ...page, changes: page.changes.filter((change) => change.id !== id) })),
      },
  )
}

/** Reloads all queries that a decision on a change may affect. When it resolves, the views have what was loaded. */
export const refreshChanges = async (queries: QueryClient, session: Session, handle: string): Promise<void> => {
  await Promise.all([
    queries.invalidateQueries({ queryKey: listKey(session) }),
    queries.invalidateQueries({ queryKey: [session.organization.id, 'brain', handle] }),
  ])
  // Queries notify their views by a timer, after their promises settle.
  await new Promise<void>((resolve) => notifyManager.schedule(resolve))
}
