type Page = { cursor: string; hasMore: boolean }

type Paging = {
  initialPageParam: string | undefined
  getNextPageParam: (page: Page) => string | undefined
}

/** How an infinite query goes through a list of the API: each page begins `after` the cursor of the one before. */
export const paging: Paging = {
  initialPageParam: undefined,
  getNextPageParam: ({ hasMore, cursor }) => (hasMore ? cursor : undefined),
}

type ListQuery = {
  error: Error | null
  refetch: () => unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** What a table of such a list does at its end, and where it could not be read. */
export const toTablePages = ({ error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage }: ListQuery) => ({
  error,
  onRetry: () => void refetch(),
  hasMore: hasNextPage,
  isLoadingMore: isFetchingNextPage,
  onLoadMore: () => void fetchNextPage(),
})
