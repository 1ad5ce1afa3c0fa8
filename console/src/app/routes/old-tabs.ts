import { redirect } from '@tanstack/react-router'
import { toPagePath } from '../../base-path.ts'

/** The tabs of a Brain before each had its own page: `?tab=` named the tab, and `?id=` the open item. */
const oldTabs: Readonly<Record<string, (id: string) => string>> = {
  search: () => '/playground',
  events: () => '/stream',
  records: () => '/records',
  documents: () => '/documents',
  receipts: () => '/receipts',
  record: (id) => `/records/${id}`,
  statement: (id) => `/statements/${id}`,
  document: (id) => `/documents/${id}`,
  receipt: (id) => `/receipts/${id}`,
}

/** Redirects an old URL to its page, so that bookmarks keep working. */
export const redirectOldTab = (handle: string): void => {
  const search = new URLSearchParams(location.search)
  const tab = search.get('tab') ?? (search.has('q') ? 'search' : '')
  const find = oldTabs[tab]
  if (!find || toPagePath(location.pathname) !== `/brains/${handle}`) return
  const id = search.get('id') ?? ''
  search.delete('tab')
  search.delete('id')
  throw redirect({ href: `/brains/${handle}${find(encodeURIComponent(id))}?${search}`, replace: true })
}
