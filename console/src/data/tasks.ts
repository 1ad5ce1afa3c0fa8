import type { Task } from '@noema/contracts/tasks.ts'
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'
import { askAgain } from './runs.ts'

/** The questions of runs, newest first. */
export const tasksQuery = ({ organization, client }: Session, state: Task['state'] | undefined) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'tasks', 'list', state ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      client.tasks.list({ state, order: 'desc', after: pageParam, limit: 100 }, { signal }),
    refetchInterval: askAgain,
    ...paging,
  })
