import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { findPage } from '../pages.ts'

const toTitle = (pathname: string): string => {
  const [, area, handle] = pathname.split('/')
  const title = findPage(pathname)?.title ?? 'Not found'
  return area === 'brains' && handle ? `${title} · ${decodeURIComponent(handle)}` : title
}

/**
 * Names the page, and moves the focus to it when another one opens, as a browser does for whole pages. A focus that is
 * within the page already, on a tab or in a field, stays.
 */
export const useAnnouncedPage = (): void => {
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  })
  const before = useRef(pathname)
  useEffect(() => {
    document.title = `${toTitle(pathname)} · Noema`
    const main = document.getElementById('main')
    if (before.current !== pathname && !main?.contains(document.activeElement)) main?.focus({ preventScroll: true })
    before.current = pathname
  }, [pathname])
}
