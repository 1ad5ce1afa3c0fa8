import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The schema of a Brain, now or at an earlier version. */
export const schemaQuery = ({ organization, client }: Session, handle: string, version?: number) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'schema', 'kinds', version],
    queryFn: ({ signal }) => client.brain(handle).schema.get({ version }, { signal }),
    staleTime: 30_000,
  })

/** Kinds and fields that records use without a declaration. */
export const emergedQuery = ({ organization, client }: Session, handle: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'schema', 'emerged'],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).schema.emerged({ after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

/** The relation of the schema to the organization schema that it was forked from. */
export const lineageQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'schema', 'lineage'],
    queryFn: ({ signal }) => client.brain(handle).schema.lineage({ signal }),
  })

/** The number of pending changes that are searched for schema changes. */
const maxExamined = 20

/** Pending schema changes among the newest pending changes. */
export const schemaProposalsQuery = ({ organization, client }: Session, handle: string) =>
  queryOptions({
    queryKey: [organization.id, 'brain', handle, 'changes', 'of the schema'],
    queryFn: async ({ signal }) => {
      const { changes } = client.brain(handle)
      const waiting = await changes.list({ decision: 'pending', limit: maxExamined, order: 'desc' }, { signal })
      const read = await Promise.all(waiting.changes.map(({ id }) => changes.get(id, { signal })))
      return read
        .map(({ change }) => change)
        .filter(({ items }) => items.some(({ target }) => target.type === 'schema'))
    },
  })
