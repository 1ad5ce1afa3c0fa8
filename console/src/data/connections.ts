import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

const limit = 200

/** The apps that members let in and the keys of a Brain, newest first: their last use tells which clients connected. */
export const connectionsQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'connections'],
    queryFn: async ({ signal }) => {
      const [{ apps }, { keys }] = await Promise.all([
        client.apps.list({ order: 'desc', limit }, { signal }),
        client.brain(handle).keys.list({ order: 'desc', limit }, { signal }),
      ])
      return { apps, keys }
    },
    // No event reports the last use.
    refetchInterval: 10_000,
  })
