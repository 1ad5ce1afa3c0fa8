import type { Task } from '@noema/contracts/tasks.ts'
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'
import { askAgain } from './runs.ts'

export type TaskFilter = {
  state?: Task['state'] | undefined
  text?: string | undefined
  from?: string | undefined
  until?: string | undefined
}

/** The questions of runs, newest first. */
export const tasksQuery = ({ organization, client }: Session, filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'tasks', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      client.tasks.list({ ...filter, order: 'desc', after: pageParam, limit: 100 }, { signal }),
    refetchInterval: filter.text === undefined ? askAgain : false,
    placeholderData: keepPreviousData,
    ...paging,
  })
