import { lazy, Suspense, useEffect, useRef } from 'react'
import { useLocation } from './address.tsx'
import { Loading } from './components/loading.tsx'
import { FailureNotice } from './components/notice.tsx'
import { findPage } from './pages.ts'
import { type Account, useAccount } from './session/account.tsx'
import { hasVisited } from './session/remembered.ts'
import { AcceptInvitation } from './views/entry/accept-invitation.tsx'
import { EntryPage } from './views/entry/entry-page.tsx'
import { ForgotPassword } from './views/entry/forgot-password.tsx'
import { NotFound } from './views/entry/not-found.tsx'
import { ResetPassword } from './views/entry/reset-password.tsx'
import { SignIn } from './views/entry/sign-in.tsx'
import { SignUp } from './views/entry/sign-up.tsx'

// Signing in needs neither the router's library nor the SDK, so they come with the pages behind it.
const App = lazy(() => import('./app/app.tsx'))

// All of the components on one page, for whoever builds pages: never in the build that is served.
const Gallery =
  import.meta.env.DEV || import.meta.env.MODE === 'gallery' ? lazy(() => import('./gallery/gallery.tsx')) : undefined

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

const NobodyKnown = ({ account }: { account: Account }) => (
  <EntryPage title="Noema">
    {account.status === 'failed' ? (
      <FailureNotice error={account.error}>
        <button type="button" className="button small" onClick={account.refresh}>
          Try again
        </button>
      </FailureNotice>
    ) : (
      <Loading />
    )}
  </EntryPage>
)

const entryViews: Readonly<Record<string, typeof SignIn>> = {
  '/sign-in': SignIn,
  '/sign-up': SignUp,
  '/accept-invitation': AcceptInvitation,
}

/** The page that the address names: one of those before signing in, or the app for whoever is signed in. */
export const Entry = () => {
  const { pathname, search } = useLocation()
  const account = useAccount()
  const page = findPage(pathname)
  const isSignedIn = account.status === 'known' && account.user !== undefined
  const isApp = isSignedIn && page !== undefined && !page.isPublic
  useAnnouncedPage(isApp || (page && !page.isPublic) ? 'Sign in' : (page?.title ?? 'Not found'), !isApp)
  if (Gallery && pathname === '/components')
    return (
      <Suspense fallback={null}>
        <Gallery />
      </Suspense>
    )
  if (!page) return <NotFound />
  if (pathname === '/reset-password') return <ResetPassword />
  if (pathname === '/forgot-password') return <ForgotPassword />
  if (account.status !== 'known') return <NobodyKnown account={account} />
  const View = entryViews[pathname]
  if (View) return <View />
  if (account.user)
    return (
      <Suspense fallback={null}>
        <App user={account.user} />
      </Suspense>
    )
  // Whoever was here before, or comes by a mailed link, has an account; whoever just opens the service may be new.
  const mayBeNew = pathname === '/' && !hasVisited() && !search.has('error') && !search.has('confirmed')
  return mayBeNew ? <SignUp /> : <SignIn />
}
