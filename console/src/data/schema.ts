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

/** Kinds and fields that records have and the schema does not declare. */
export const emergedQuery = ({ organization, client }: Session, handle: string) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'brain', handle, 'schema', 'emerged'],
    queryFn: ({ pageParam, signal }) =>
      client.brain(handle).schema.emerged({ after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })
