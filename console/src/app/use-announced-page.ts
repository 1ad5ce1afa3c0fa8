import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { findPage } from '../pages.ts'
import { isCovered } from './shortcuts.ts'

const toTitle = (pathname: string): string => {
  const [, area, handle] = pathname.split('/')
  const title = findPage(pathname)?.title ?? 'Not found'
  return area === 'brains' && handle ? `${title} · ${decodeURIComponent(handle)}` : title
}

/**
 * Names the page, and moves the focus to it when another one opens, as a browser does for whole pages. A focus that is
 * within the page already, on a tab or in a field, stays, as does one in what was opened over it while it was awaited.
 */
export const useAnnouncedPage = (): void => {
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  })
  const before = useRef(pathname)
  useEffect(() => {
    document.title = `${toTitle(pathname)} · Noema`
    const main = document.getElementById('main')
    const mayFocus = !isCovered() && !main?.contains(document.activeElement)
    if (before.current !== pathname && mayFocus) main?.focus({ preventScroll: true })
    before.current = pathname
  }, [pathname])
}
