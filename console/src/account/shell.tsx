import type { ReactNode } from 'react'
import { Mark } from '../components/mark.tsx'
import { ThemeToggle } from '../components/theme-toggle.tsx'
import { useAction } from '../components/use-action.ts'
import { Link, navigate } from '../router.tsx'
import type { Route } from '../routes.ts'
import { useAccount } from '../session/account.tsx'
import { signOut } from '../session/auth.ts'
import { storeKey } from '../session/stored-key.ts'
import { useWorkspace } from '../session/workspace.tsx'

const pages = [
  { to: '/', name: 'Start', views: ['start'] },
  { to: '/brains', name: 'Brains', views: ['brains', 'brain'] },
  { to: '/keys', name: 'Keys', views: ['keys'] },
] as const satisfies { to: string; name: string; views: Route['view'][] }[]

const OrganizationChoice = () => {
  const { organization, organizations, chooseOrganization } = useWorkspace()
  if (organizations.length < 2) return <span className="organization">{organization.name}</span>
  const choose = (id: string) => {
    chooseOrganization(id)
    navigate('/')
  }
  return (
    <select
      className="organization"
      aria-label="Organization"
      value={organization.id}
      onChange={({ target }) => choose(target.value)}
    >
      {organizations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

const leave = async () => {
  await signOut()
  storeKey(undefined)
}

const SignOut = () => {
  const { user } = useWorkspace()
  const { refresh } = useAccount()
  const { run } = useAction(leave)
  const signOutNow = async () => {
    await run()
    await refresh()
    navigate('/sign-in')
  }
  return (
    <button type="button" className="button small quiet" title={`Signed in as ${user.email}`} onClick={signOutNow}>
      Sign out
    </button>
  )
}

/** The frame of every page behind the sign-in. */
export const Shell = ({ route, children }: { route: Route; children: ReactNode }) => (
  <>
    <a href="#main" className="skip-link">
      Skip to the content
    </a>
    <header className="top">
      <div className="top-inner">
        <Link to="/" className="brand">
          <Mark />
          Noema
        </Link>
        <nav aria-label="Console">
          {pages.map(({ to, name, views }) => (
            <Link key={to} to={to} className="tab" isCurrent={views.some((view) => view === route.view)}>
              {name}
            </Link>
          ))}
        </nav>
        <div className="top-end">
          <OrganizationChoice />
          <ThemeToggle />
          <SignOut />
        </div>
      </div>
    </header>
    <main id="main" tabIndex={-1}>
      {children}
    </main>
  </>
)
