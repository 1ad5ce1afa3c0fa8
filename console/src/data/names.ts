import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'

/** The items that the palette can open by name. */
export type Names = { brains: string[]; agents: { id: string; name: string }[] }

const maxNames = 500

/** The names of the organization's Brains and agents, for the palette. */
export const namesQuery = ({ organization, client }: Session) =>
  queryOptions({
    queryKey: [organization.id, 'names'],
    queryFn: async ({ signal }): Promise<Names> => {
      const [{ brains }, { agents }] = await Promise.all([
        client.brains.list({ limit: maxNames }, { signal }),
        client.agents.list({ limit: maxNames }, { signal }),
      ])
      return { brains: brains.map(({ handle }) => handle), agents: agents.map(({ id, name }) => ({ id, name })) }
    },
    staleTime: 30_000,
  })
