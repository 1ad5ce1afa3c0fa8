import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { later } from '../components/later.tsx'
import { Mark } from '../components/mark.tsx'
import { waitingQuery } from '../data/waiting.ts'
import { isWithin, listPlaces, type Place } from '../navigation.ts'
import { useSession } from '../session/session.tsx'
import { OrganizationButton } from './organization-button.tsx'
import { toPress } from './press.ts'

// What opens brings a library with it, so it comes after the frame is there.
const OrganizationMenu = later(async () => (await import('./organization-menu.tsx')).OrganizationMenu)

const maxShown = 99

const Count = ({ value }: { value: number }) =>
  value > 0 ? (
    <span className="side-count">
      {value > maxShown ? `${maxShown}+` : value}
      <span className="off-screen"> waiting</span>
    </span>
  ) : null

const SideLink = ({ place, onGone }: { place: Place; onGone?: (() => void) | undefined }) => {
  const session = useSession()
  const { data } = useQuery({ ...waitingQuery(session), enabled: place.waiting !== undefined })
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <Link
      to={place.to}
      className="side-link"
      activeProps={{}}
      aria-current={isWithin(place, pathname) ? 'page' : undefined}
      onClick={onGone}
    >
      <Icon name={place.icon} />
      <span>{place.name}</span>
      {place.waiting && data && <Count value={data[place.waiting]} />}
    </Link>
  )
}

/** The way to every area: always there where there is room, else in a drawer. */
export const Sidebar = ({ onGone }: { onGone?: () => void }) => {
  const session = useSession()
  const [isWanted, setWanted] = useState(false)
  return (
    <div className="side">
      <Link to="/" className="brand" onClick={onGone}>
        <Mark />
        Noema
      </Link>
      <OrganizationMenu
        isOpenAtFirst={isWanted}
        meanwhile={<OrganizationButton name={session.organization.name} {...toPress(() => setWanted(true))} />}
      />
      <nav aria-label="Console">
        {listPlaces(session).map((place) => (
          <SideLink key={place.to} place={place} onGone={onGone} />
        ))}
      </nav>
    </div>
  )
}
