import { useEffect, useRef } from 'react'
import { useLocation } from './address.tsx'
import { later } from './components/later.tsx'
import { Loading } from './components/loading.tsx'
import { FailureNotice } from './components/notice.tsx'
import { Opening } from './components/opening.tsx'
import { importApp, importEntry } from './first-parts.ts'
import { findPage } from './pages.ts'
import { type Account, useAccount } from './session/account.tsx'
import { hasVisited, mayBeSignedIn } from './session/remembered.ts'

const App = later(importApp)
const EntryView = later(importEntry)

// A page with all components, for developers. It is never part of the production build.
const Gallery =
  import.meta.env.DEV || import.meta.env.MODE === 'gallery'
    ? later(async () => (await import('./gallery/gallery.tsx')).Gallery)
    : undefined

/** Names the page, and moves the focus to it when another one opens, as a browser does for whole pages. */
const useAnnouncedPage = (title: string, isOn: boolean) => {
  const isFirst = useRef(true)
  useEffect(() => {
    if (isOn) document.title = `${title} · Noema`
    const main = document.getElementById('main')
    if (isOn && !isFirst.current && !main?.contains(document.activeElement)) main?.focus()
    isFirst.current = false
  }, [title, isOn])
}

/** Shown until the account is known: the frame to people who may be signed in, and to others nothing at first, then a placeholder. */
const Unknown = ({ account }: { account: Account }) =>
  account.status !== 'failed' && mayBeSignedIn() ? (
    <Opening />
  ) : (
    <main className="signed-out" id="main" tabIndex={-1}>
      {account.status === 'failed' ? <FailureNotice error={account.error} onRetry={account.refresh} /> : <Loading />}
    </main>
  )

/** People who signed in before or who open an emailed link have an account; others may be new. */
const chooseEntry = (pathname: string, search: URLSearchParams): string =>
  pathname === '/' && !hasVisited() && !search.has('error') && !search.has('confirmed') ? '/sign-up' : '/sign-in'

/** The pages that do not depend on the account. */
const isForAnybody = (pathname: string): boolean =>
  ['/reset-password', '/forgot-password', '/request-access'].includes(pathname)

/** The page for the URL: one of the pages before the sign-in, or the app for a signed-in person. */
export const Entry = () => {
  const { pathname, search } = useLocation()
  const account = useAccount()
  const page = findPage(pathname)
  const isSignedIn = account.status === 'known' && account.user !== undefined
  // A signed-in person sees in the frame that a page does not exist.
  const isApp = isSignedIn && !page?.isPublic
  const title = page && !page.isPublic ? 'Sign in' : (page?.title ?? 'Not found')
  useAnnouncedPage(title, !isApp)
  if (page && account.status !== 'known' && !isForAnybody(pathname)) return <Unknown account={account} />
  if (Gallery && pathname === '/components') return <Gallery />
  if (isApp && account.status === 'known' && account.user) return <App user={account.user} meanwhile={<Opening />} />
  return <EntryView path={page && !page.isPublic ? chooseEntry(pathname, search) : pathname} />
}
