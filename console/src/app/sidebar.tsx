import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { later } from '../components/later.tsx'
import { Mark } from '../components/mark.tsx'
import { waitingQuery } from '../data/waiting.ts'
import { isWithin, listPages, type NavigationEntry } from '../navigation.ts'
import { useSession } from '../session/session.tsx'
import { OrganizationButton } from './organization-button.tsx'
import { toPress } from './press.ts'
import { usePathname } from './use-pathname.ts'

// The menu needs a library, so it is loaded when it opens.
const OrganizationMenu = later(async () => (await import('./organization-menu.tsx')).OrganizationMenu)

const maxShown = 99

const Count = ({ value }: { value: number }) =>
  value > 0 ? (
    <span className="side-count">
      {value > maxShown ? `${maxShown}+` : value}
      <span className="off-screen"> waiting</span>
    </span>
  ) : null

const SideLink = ({ entry, onGone }: { entry: NavigationEntry; onGone?: (() => void) | undefined }) => {
  const session = useSession()
  const { data } = useQuery({ ...waitingQuery(session), enabled: entry.waiting !== undefined })
  const pathname = usePathname()
  return (
    <Link
      to={entry.to}
      className="side-link"
      activeProps={{}}
      aria-current={isWithin(entry, pathname) ? 'page' : undefined}
      onClick={onGone}
    >
      <Icon name={entry.icon} />
      <span>{entry.name}</span>
      {entry.waiting && data && <Count value={data[entry.waiting]} />}
    </Link>
  )
}

/** The links to all areas: always visible on wide screens, in a drawer on narrow ones. */
export const Sidebar = ({ onGone }: { onGone?: () => void }) => {
  const session = useSession()
  const [isRequested, setRequested] = useState(false)
  const organization = <OrganizationButton name={session.organization.name} {...toPress(() => setRequested(true))} />
  return (
    <nav className="side" aria-label="Console">
      <Link to="/" className="brand" onClick={onGone}>
        <Mark />
        Noema
      </Link>
      {isRequested ? <OrganizationMenu meanwhile={organization} /> : organization}
      <div className="side-links">
        {listPages(session).map((entry) => (
          <SideLink key={entry.to} entry={entry} onGone={onGone} />
        ))}
      </div>
    </nav>
  )
}
