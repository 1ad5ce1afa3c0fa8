import type { readContext } from '@noema/contracts/context.ts'
import type { BodyInput } from '@noema/contracts/endpoint.ts'
import type { queryRecords } from '@noema/contracts/query.ts'
import { queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import type { Where } from './record-filter.ts'
import { consumerId } from './records.ts'

// The searches of the pages. Each one stores a receipt, so no view repeats a search.

/** A search is not repeated: each one stores a receipt. */
export const once = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false }

/** The number of records that a graph of search results starts with. */
const maxSeeds = 5

/** The records in search results, and the subjects of statements in them. */
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

/** A response with its duration, as measured by the page. */
export const timed = async <Answer extends object>(
  read: Promise<Answer>,
): Promise<Answer & { milliseconds: number }> => {
  const began = performance.now()
  const answer = await read
  return { ...answer, milliseconds: Math.round(performance.now() - began) }
}

type ContextBody = BodyInput<typeof readContext>

/** The context that a model gets for a question. */
export const contextQuery = ({ organization, client }: Session, handle: string, body: ContextBody) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'search', 'context', body],
    queryFn: ({ signal }) => timed(client.brain(handle).context({ ...body, consumerId }, { signal })),
    ...once,
  })

/** The groups that a query returns in place of records. */
export type Aggregate = NonNullable<BodyInput<typeof queryRecords>['aggregate']>

export type QueryBody = {
  kind: string
  where?: Where
  links?: { direction: 'out' | 'in' | 'both'; depth: number }
  count?: true
  aggregate?: Aggregate
  limit: number
}

/** Records of a kind that match conditions, with the records that they link to. */
export const recordQueryQuery = ({ organization, client }: Session, handle: string, body: QueryBody) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'search', 'query', body],
    queryFn: ({ signal }) => timed(client.brain(handle).query({ ...body, consumerId }, { signal })),
    ...once,
  })
