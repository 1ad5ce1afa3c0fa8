import type { Goal } from '@noema/contracts/goals.ts'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The organization's goals, the newest first. */
export const goalsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'goals', 'list'],
    queryFn: ({ pageParam, signal }) => client.goals.list({ order: 'desc', after: pageParam, limit: 100 }, { signal }),
    ...paging,
  })

const pollMilliseconds = 2_000

const goesOn = ({ state }: Goal): boolean => state === 'active' || state === 'waiting'

/** A goal with its attempts. It is read again while it goes on. */
export const goalQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'goals', 'goal', id],
    queryFn: async ({ signal }) => {
      const [{ goal }, { attempts }] = await Promise.all([
        client.goals.get(id, { signal }),
        client.goals.attempts(id, { order: 'desc', limit: 100 }, { signal }),
      ])
      return { goal, attempts }
    },
    refetchInterval: ({ state }) => (state.data && !goesOn(state.data.goal) ? false : pollMilliseconds),
  })
