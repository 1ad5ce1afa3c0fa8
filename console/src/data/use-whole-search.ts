import { useEffect } from 'react'

/** Pages that a search reads by itself while it finds little. */
const maxPages = 10
const enough = 20

type SearchQuery = {
  data: { pages: readonly unknown[] } | undefined
  error: unknown
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isPlaceholderData: boolean
  fetchNextPage: () => unknown
}

/**
 * Reads on while a search finds little: the service looks at a bounded number of items for each page, so that a page may have
 * none. Says whether it is still reading, and whether older items are left unread.
 */
export const useWholeSearch = (
  { data, error, hasNextPage, isFetchingNextPage, isPlaceholderData, fetchNextPage }: SearchQuery,
  { isOn, found }: { isOn: boolean; found: number | undefined },
) => {
  const pages = data?.pages.length ?? 0
  const isShort = (found ?? 0) < enough && pages > 0
  const readsOn = isOn && !error && hasNextPage && !isPlaceholderData && isShort && pages < maxPages
  useEffect(() => {
    if (readsOn && !isFetchingNextPage) fetchNextPage()
  }, [readsOn, isFetchingNextPage, fetchNextPage])
  return { isSearching: readsOn, isCut: isOn && hasNextPage && !readsOn && isShort }
}
