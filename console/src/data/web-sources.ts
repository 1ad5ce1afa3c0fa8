import type { WebPage, WebSource } from '@noema/contracts/web-sources.ts'
import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

// The queries of a Brain's web sources. No event reports a fetch, so a visible page polls, more often while pages wait for one.

const whileQuiet = 30_000
const whileBusy = 2_000

const webSourcesKey = ({ organization }: Session, handle: string) => [organization.id, 'brain', handle, 'web-sources']

export const reloadWebSources = (queries: QueryClient, session: Session, handle: string) =>
  queries.invalidateQueries({ queryKey: webSourcesKey(session, handle) })

const isBusy = ({ pages, paused }: WebSource): boolean => pages.waiting > 0 && paused === null

/** The web sources of a Brain, the first hundred by name. */
export const webSourcesQuery = (session: Session, handle: string) =>
  queryOptions({
    queryKey: [...webSourcesKey(session, handle), 'list'],
    queryFn: async ({ signal }) =>
      (await session.client.brain(handle).webSources.list({ limit: 100 }, { signal })).webSources,
    refetchInterval: ({ state }) => (state.data?.some(isBusy) ? whileBusy : whileQuiet),
  })

/** The pages of a web source, page by page. The first page has the source, too. */
export const webPagesQuery = (session: Session, handle: string, source: string) =>
  infiniteQueryOptions({
    queryKey: [...webSourcesKey(session, handle), 'pages', source],
    queryFn: ({ pageParam, signal }) =>
      session.client.brain(handle).webSources.get(source, { after: pageParam, limit: 100 }, { signal }),
    refetchInterval: ({ state }) => {
      const found = state.data?.pages[0]
      return found && isBusy(found.webSource) ? whileBusy : whileQuiet
    },
    ...paging,
  })

export const webPageTones = {
  waiting: 'warning',
  current: 'good',
  failing: 'danger',
  missing: 'danger',
  retired: 'neutral',
} as const satisfies Record<WebPage['status'], string>

/** The interval of a source in words. */
export const describeInterval = ({ refreshHours: hours }: Pick<WebSource, 'refreshHours'>): string => {
  if (hours === null) return 'on request'
  if (hours === 1) return 'every hour'
  if (hours === 24) return 'every day'
  return hours % 24 === 0 ? `every ${hours / 24} days` : `every ${hours} hours`
}
