import type { Distillation } from '@noema/contracts/distillations.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

const pollMilliseconds = 2_000

const isOver = ({ completedAt }: Distillation): boolean => completedAt !== null

/** The organization's distillations, the newest first. */
export const distillationsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'distillations', 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.distillations.list({ order: 'desc', after: pageParam, limit: 50 }, { signal }),
    ...paging,
  })

/** A distillation with its items. It is read again while it goes on. */
export const distillationQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'distillations', 'one', id],
    queryFn: ({ signal }) => client.distillations.get(id, { signal }),
    refetchInterval: ({ state }) => (!state.data || isOver(state.data.distillation) ? false : pollMilliseconds),
  })
