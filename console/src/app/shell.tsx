import { Link, Outlet, useRouter } from '@tanstack/react-router'
import { Mark } from '../components/mark.tsx'
import { ThemeToggle } from '../components/theme-toggle.tsx'
import { Toasts } from '../components/toasts.tsx'
import { useAction } from '../components/use-action.ts'
import { useAccount } from '../session/account.tsx'
import { signOut } from '../session/auth.ts'
import { useSession } from '../session/session.tsx'
import { useAnnouncedPage } from './use-announced-page.ts'

const OrganizationChoice = () => {
  const { organization, organizations, chooseOrganization } = useSession()
  const router = useRouter()
  if (organizations.length < 2) return <span className="organization">{organization.name}</span>
  const choose = (id: string) => {
    chooseOrganization(id)
    void router.navigate({ to: '/' })
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
}

const SignOut = () => {
  const { user } = useSession()
  const { refresh } = useAccount()
  const { run } = useAction(leave)
  const signOutNow = async () => {
    await run()
    await refresh()
    location.assign('/sign-in')
  }
  return (
    <button type="button" className="button small quiet" title={`Signed in as ${user.email}`} onClick={signOutNow}>
      Sign out
    </button>
  )
}

/** The frame of every page behind the sign-in. */
export const Shell = () => {
  useAnnouncedPage()
  return (
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
            <Link to="/" className="tab" activeOptions={{ exact: true, includeSearch: false }}>
              Start
            </Link>
            <Link to="/brains" className="tab">
              Brains
            </Link>
            <Link to="/review" className="tab">
              Review
            </Link>
            <Link to="/settings/keys" className="tab">
              Keys
            </Link>
          </nav>
          <div className="top-end">
            <OrganizationChoice />
            <ThemeToggle />
            <SignOut />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
    </>
  )
}
