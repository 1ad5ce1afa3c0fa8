import { lazy, Suspense, useEffect, useRef } from 'react'
import { Loading } from './components/loading.tsx'
import { FailureNotice } from './components/notice.tsx'
import { useLocation } from './router.tsx'
import { findRoute, type Route } from './routes.ts'
import { type Account, useAccount } from './session/account.tsx'
import { hasVisited } from './session/remembered.ts'
import { AcceptInvitation } from './views/accept-invitation.tsx'
import { EntryPage } from './views/entry-page.tsx'
import { ForgotPassword } from './views/forgot-password.tsx'
import { NotFound } from './views/not-found.tsx'
import { ResetPassword } from './views/reset-password.tsx'
import { SignIn } from './views/sign-in.tsx'
import { SignUp } from './views/sign-up.tsx'

// Signing in needs neither the SDK nor the contracts, so they come with the pages behind it.
const SignedInPages = lazy(() => import('./signed-in.tsx'))

const titles: Record<Route['view'], string> = {
  start: 'Start',
  'sign-in': 'Sign in',
  'sign-up': 'Create your account',
  'forgot-password': 'Choose a new password',
  'reset-password': 'Choose a new password',
  'accept-invitation': 'Invitation',
  keys: 'Keys',
  brains: 'Brains',
  brain: 'Brain',
  'not-found': 'Not found',
}

/** What tells one page of a Brain from another in a browser's history: the search, the thing that is open, or the tab. */
const toTitle = (route: Route, search: URLSearchParams): string =>
  route.view === 'brain'
    ? [search.get('q') ?? search.get('id') ?? search.get('tab'), route.handle].filter(Boolean).join(' · ')
    : titles[route.view]

/**
 * Names the page, and moves the focus to it when another one opens, as a browser does for whole pages. A focus that is
 * within the page already, on a tab or in a field, stays.
 */
const useAnnouncedPage = (title: string) => {
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${title} · Noema`
    const main = document.getElementById('main')
    if (!isFirst.current && !main?.contains(document.activeElement)) main?.focus()
    isFirst.current = false
  }, [title])
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

/** The page that the address names, for whoever is signed in. */
export const App = () => {
  const { pathname, search } = useLocation()
  const account = useAccount()
  const route = findRoute(pathname)
  useAnnouncedPage(toTitle(route, search))
  if (route.view === 'not-found') return <NotFound />
  if (route.view === 'reset-password') return <ResetPassword />
  if (route.view === 'forgot-password') return <ForgotPassword />
  if (account.status !== 'known') return <NobodyKnown account={account} />
  if (route.view === 'accept-invitation') return <AcceptInvitation />
  if (route.view === 'sign-up') return <SignUp />
  if (route.view === 'sign-in') return <SignIn />
  if (account.user)
    return (
      <Suspense fallback={null}>
        <SignedInPages route={route} user={account.user} />
      </Suspense>
    )
  // Whoever was here before, or comes by a mailed link, has an account; whoever just opens the service may be new.
  const mayBeNew = route.view === 'start' && !hasVisited() && !search.has('error') && !search.has('confirmed')
  return mayBeNew ? <SignUp /> : <SignIn />
}
