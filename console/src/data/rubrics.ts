import type { Rubric } from '@noema/contracts/rubrics.ts'
import { infiniteQueryOptions, queryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { type Session, useSession } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The rubrics of the organization and those that are included, by name. */
export const rubricsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'rubrics', 'list'],
    queryFn: ({ pageParam, signal }) => client.rubrics.list({ after: pageParam, limit: 200 }, { signal }),
    ...paging,
  })

export const rubricQuery = ({ organization, client }: Session, name: string) =>
  queryOptions({
    queryKey: [organization.id, 'rubrics', 'one', name],
    queryFn: async ({ signal }) => (await client.rubrics.get(name, { signal })).rubric,
  })

/** The rubrics to choose from; undefined until they are loaded. */
export const useRubricList = (): readonly Rubric[] | undefined =>
  useInfiniteQuery(rubricsQuery(useSession())).data?.pages.flatMap(({ rubrics }) => rubrics)
