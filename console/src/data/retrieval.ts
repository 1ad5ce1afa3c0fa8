import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { consumerId } from './records.ts'

// What the pages ask by words. Every such read leaves a receipt, so nothing is asked twice for the same view.

const once = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }

/** How many records a graph of a search begins with. */
const maxSeeds = 5

/** The records that a search finds, or that the statements that it finds are about. */
export const graphSeedsQuery = ({ organization, client }: Session, handle: string, q: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'search', 'seeds', q],
    queryFn: async ({ signal }): Promise<string[]> => {
      const brain = client.brain(handle)
      const { results } = await brain.search({ q, types: ['record', 'statement'], limit: 20, consumerId }, { signal })
      const found = await Promise.all(
        results.map(async ({ type, id }) =>
          type === 'record' ? id : (await brain.statements.get(id, {}, { signal })).statement.subject.id,
        ),
      )
      return [...new Set(found)].slice(0, maxSeeds)
    },
    ...once,
  })
