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
