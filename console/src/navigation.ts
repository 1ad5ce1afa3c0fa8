import type { IconName } from './components/icon.tsx'
import { findPage, pages } from './pages.ts'

/** A page in the sidebar. One that is not in the list of pages yet is omitted. */
export type NavigationEntry = {
  to: string
  name: string
  icon: IconName
  /** Two keys that are pressed one after the other, on any page. */
  keys?: string
  /** Additional paths of its pages. */
  also?: readonly string[]
  /** The count of open items next to it. */
  waiting?: 'changes' | 'tasks'
  /** Shown to administrators of the service. */
  isAdmin?: true
}

const all: readonly NavigationEntry[] = [
  { to: '/', name: 'Home', icon: 'home', keys: 'g h' },
  { to: '/review', name: 'Review', icon: 'review', keys: 'g r', waiting: 'changes' },
  { to: '/tasks', name: 'Tasks', icon: 'task', keys: 'g t', waiting: 'tasks' },
  { to: '/brains', name: 'Brains', icon: 'brain', keys: 'g b' },
  { to: '/files', name: 'Files', icon: 'document', keys: 'g f' },
  {
    to: '/agents',
    name: 'Agents',
    icon: 'agent',
    keys: 'g a',
    also: ['/packs', '/providers', '/connectors', '/projects'],
  },
  { to: '/runs', name: 'Runs', icon: 'play', keys: 'g u', also: ['/conversations'] },
  { to: '/activity', name: 'Activity', icon: 'activity', keys: 'g y' },
  { to: '/automations', name: 'Automations', icon: 'automation', keys: 'g o' },
  { to: '/settings/organization', name: 'Settings', icon: 'settings', keys: 'g s', also: ['/settings'] },
  { to: '/admin/requests', name: 'Admin', icon: 'admin', also: ['/admin'], isAdmin: true },
]

const paths: readonly string[] = pages.map(({ path }) => path)

/** The target of an entry: its own page, or the first available page of its area. */
const findPath = ({ to, also = [] }: NavigationEntry): string | undefined =>
  paths.includes(to) ? to : paths.find((path) => also.some((area) => path === area || path.startsWith(`${area}/`)))

/** The pages in the sidebar, for people who can open them. */
export const listPages = ({ isAdministrator }: { isAdministrator: boolean }): NavigationEntry[] =>
  all.flatMap((entry) => {
    const to = findPath(entry)
    return to === undefined || (entry.isAdmin && !isAdministrator) ? [] : { ...entry, to }
  })

/** True if a URL belongs to an entry. */
export const isWithin = ({ to, also = [] }: NavigationEntry, pathname: string): boolean =>
  [to, ...also].some((area) => pathname === area || (area !== '/' && pathname.startsWith(`${area}/`)))

/** The Brain whose pages are open. */
export const findHandle = (pathname: string): string | undefined => /^\/brains\/([^/]+)/.exec(pathname)?.[1]

export type Crumb = { name: string; to: string }

/** The breadcrumbs of a page: each page above it, by its title or by the part of the URL that names an item. */
export const toCrumbs = (pathname: string): Crumb[] => {
  if (pathname === '/') return [{ name: 'Home', to: '/' }]
  const parts = pathname.split('/').filter((part) => part !== '')
  return parts.flatMap((part, index) => {
    const to = `/${parts.slice(0, index + 1).join('/')}`
    const page = findPage(to)
    if (!page) return []
    const isNamed = page.path.split('/').at(-1)?.startsWith('$')
    return { to, name: isNamed ? decodeURIComponent(part) : page.title }
  })
}
