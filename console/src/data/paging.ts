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

/**
 * Puts the rows of pages one after the other. Pages that came before are not gone through again when another one comes: a list
 * of a hundred thousand rows has hundreds of them.
 */
export const createRowList = <Page, Row>(toRows: (page: Page) => readonly Row[]) => {
  let known: readonly Page[] = []
  let rows: readonly Row[] = []
  return (pages: readonly Page[]): readonly Row[] => {
    const isLonger = known.length > 0 && known.every((page, index) => page === pages[index])
    const before = isLonger ? rows : []
    rows = before.concat(...pages.slice(isLonger ? known.length : 0).map(toRows))
    known = pages
    return rows
  }
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
