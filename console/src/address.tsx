import type { MouseEvent, ReactNode } from 'react'
import { useMemo, useSyncExternalStore } from 'react'
import { basePath, toPagePath } from './base-path.ts'

// The URL is the state of the pages: open item, filter and selection are read from it and written to it.

const listeners = new Set<() => void>()

/** Notifies readers of the URL of a change. */
export const notifyAddress = (): void => {
  for (const listener of listeners) listener()
}

addEventListener('popstate', notifyAddress)

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Opens another page of the console. `replace` adds no entry to the browser's history. */
export const navigate = (to: string, { replace = false }: { replace?: boolean } = {}): void => {
  const href = basePath + to
  const samePage = new URL(href, location.href).pathname === location.pathname
  history[replace ? 'replaceState' : 'pushState'](null, '', href)
  notifyAddress()
  if (!samePage) scrollTo(0, 0)
}

/** The current path and query. The component is rendered again when they change. */
export const useLocation = () => {
  const href = useSyncExternalStore(subscribe, () => toPagePath(location.pathname) + location.search)
  return useMemo(() => {
    const { pathname, searchParams } = new URL(href, location.origin)
    return { href, pathname, search: searchParams }
  }, [href])
}

/** The current URL with changed query parameters; undefined removes one. */
export const withQuery = (changes: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(location.href)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return toPagePath(url.pathname) + url.search
}

type LinkProps = {
  to: string
  children: ReactNode
  className?: string
  /** Marks the link as the open page. */
  isCurrent?: boolean
}

const isPlainClick = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent) =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

/** A link within the console. */
export const Link = ({ to, children, className, isCurrent = false }: LinkProps) => {
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a href={basePath + to} className={className} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
