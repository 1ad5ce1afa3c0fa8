import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { IconButton } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Kbd } from '../components/kbd.tsx'
import { later } from '../components/later.tsx'
import { ThemeToggle } from '../components/theme-toggle.tsx'
import { useCrumbNames } from '../crumb-names.ts'
import { waitingQuery } from '../data/waiting.ts'
import { toCrumbs } from '../navigation.ts'
import { useSession } from '../session/session.tsx'
import { BellButton } from './bell-button.tsx'
import { toPress } from './press.ts'
import { ReachLine } from './reach-line.tsx'
import { usePathname } from './use-pathname.ts'

const Bell = later(async () => (await import('./bell.tsx')).Bell)
const AccountMenu = later(async () => (await import('./account-menu.tsx')).AccountMenu)

const Crumbs = () => {
  const pathname = usePathname()
  const names = useCrumbNames()
  const crumbs = toCrumbs(pathname)
  return (
    <nav className="crumbs" aria-label="Breadcrumbs">
      <ol>
        {crumbs.map(({ name: title, to }, index) => {
          const name = names.get(to) ?? title
          return (
            <li key={to}>
              {index > 0 && <Icon name="chevron" />}
              {index === crumbs.length - 1 ? <span>{name}</span> : <Link to={to}>{name}</Link>}
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** The content is loaded at the first press. */
const Notifications = () => {
  const { data } = useQuery(waitingQuery(useSession()))
  const [isRequested, setRequested] = useState(false)
  const unread = data?.unread ?? 0
  const button = <BellButton unread={unread} onClick={() => setRequested(true)} />
  return isRequested ? <Bell unread={unread} meanwhile={button} /> : button
}

/** The menu is loaded at the first press, and opens once it is, even before the button is released. */
const Account = ({ onShortcuts }: { onShortcuts: () => void }) => {
  const { user } = useSession()
  const [isRequested, setRequested] = useState(false)
  const button = <IconButton icon="user" label={`Account: ${user.email}`} {...toPress(() => setRequested(true))} />
  return isRequested ? <AccountMenu onShortcuts={onShortcuts} meanwhile={button} /> : button
}

type TopBarProps = { onMenu: () => void; onPalette: () => void; onShortcuts: () => void }

/** The bar above every page: breadcrumbs, palette, and the person's menu. */
export const TopBar = ({ onMenu, onPalette, onShortcuts }: TopBarProps) => (
  <header className="top">
    <div className="top-menu">
      <IconButton icon="menu" label="Menu" onClick={onMenu} />
    </div>
    <Crumbs />
    <ReachLine />
    <button type="button" className="palette-button" onClick={onPalette} aria-label="Go to, or search">
      <Icon name="search" />
      <span>Go to…</span>
      <Kbd keys="Mod+K" />
    </button>
    <Notifications />
    <ThemeToggle />
    <Account onShortcuts={onShortcuts} />
  </header>
)
