import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { isCovered } from '../components/key-guard.ts'
import { findPage } from '../pages.ts'

const toTitle = (pathname: string): string => {
  const [, area, handle] = pathname.split('/')
  const title = findPage(pathname)?.title ?? 'Not found'
  return area === 'brains' && handle ? `${title} · ${decodeURIComponent(handle)}` : title
}

/**
 * Announces a newly opened page and moves the focus to it, as a browser does for full page loads. A focus that is already within
 * the page, on a tab or in a field, stays. So does a focus in an overlay that was opened meanwhile.
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
