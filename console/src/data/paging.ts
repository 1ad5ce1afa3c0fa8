type Page = { cursor: string; hasMore: boolean }

type Paging = {
  initialPageParam: string | undefined
  getNextPageParam: (page: Page) => string | undefined
}

/** Paging of an infinite query over a list of the API: each page starts `after` the cursor of the previous one. */
export const paging: Paging = {
  initialPageParam: undefined,
  getNextPageParam: ({ hasMore, cursor }) => (hasMore ? cursor : undefined),
}

type ListQuery = {
  error: Error | null
  refetch: () => unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  /** True while the rows of the previous filter are shown. */
  isPlaceholderData?: boolean
  fetchNextPage: () => unknown
}

/** The properties of a table for such a list: loading at its end, and its error. */
export const toTablePages = ({
  error,
  refetch,
  hasNextPage,
  isFetchingNextPage,
  fetchNextPage,
  ...query
}: ListQuery) => ({
  error,
  onRetry: () => void refetch(),
  hasMore: hasNextPage && query.isPlaceholderData !== true,
  isLoadingMore: isFetchingNextPage,
  onLoadMore: () => void fetchNextPage(),
})
