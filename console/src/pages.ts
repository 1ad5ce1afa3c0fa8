// The list of pages. The sign-in, the router, the sidebar and the server read it: the build writes it to `pages.json`, and the
// server answers 404 for every other path. Three lines add a page:
//
// 1. here: its path and title;
// 2. `app/routes/<area>.tsx`: its route with the view, which is loaded when it is opened;
// 3. there, at the end of the file: its entry in the list of routes.
//
// Its entry in the sidebar, the tabs of a Brain and the palette appears automatically (see `navigation.ts`).
// `test/routes.test.ts` opens it in light and dark, wide and narrow. See README.md of this folder for an example.

/** A page: its path with `$name` for each parameter, and its title. */
export type Page = {
  path: string
  title: string
  /** Shown without a session. */
  isPublic?: true
}

export const pages = [
  { path: '/', title: 'Home' },
  { path: '/sign-in', title: 'Sign in', isPublic: true },
  { path: '/sign-up', title: 'Create your account', isPublic: true },
  { path: '/forgot-password', title: 'Set a new password', isPublic: true },
  { path: '/reset-password', title: 'Set a new password', isPublic: true },
  { path: '/accept-invitation', title: 'Invitation', isPublic: true },
  { path: '/request-access', title: 'Request access', isPublic: true },
  { path: '/authorize', title: 'Connect an app', isPublic: true },
  { path: '/keys', title: 'Management keys' },
  { path: '/brains', title: 'Brains' },
  { path: '/files', title: 'Files' },
  { path: '/brains/$handle', title: 'Overview' },
  { path: '/brains/$handle/stream', title: 'Events' },
  { path: '/brains/$handle/records', title: 'Records' },
  { path: '/brains/$handle/records/$id', title: 'Record' },
  { path: '/brains/$handle/statements', title: 'Statements' },
  { path: '/brains/$handle/statements/$id', title: 'Statement' },
  { path: '/brains/$handle/documents', title: 'Documents' },
  { path: '/brains/$handle/documents/$id', title: 'Document' },
  { path: '/brains/$handle/new-document', title: 'New document' },
  { path: '/brains/$handle/sources', title: 'Sources' },
  { path: '/brains/$handle/sources/$source/snapshots/$snapshot', title: 'Snapshot' },
  { path: '/brains/$handle/graph', title: 'Graph' },
  { path: '/brains/$handle/schema', title: 'Schema' },
  { path: '/brains/$handle/playground', title: 'Playground' },
  { path: '/brains/$handle/receipts', title: 'Receipts' },
  { path: '/brains/$handle/receipts/$id', title: 'Receipt' },
  { path: '/brains/$handle/changes', title: 'Changes' },
  { path: '/brains/$handle/changes/$id', title: 'Change' },
  { path: '/brains/$handle/connect', title: 'Connect' },
  { path: '/brains/$handle/keys', title: 'Keys' },
  { path: '/brains/$handle/webhooks', title: 'Webhooks' },
  { path: '/brains/$handle/webhooks/$id', title: 'Webhook' },
  { path: '/brains/$handle/settings', title: 'Settings' },
  { path: '/review', title: 'Review' },
  { path: '/agents', title: 'Agents' },
  { path: '/agents/$id', title: 'Agent' },
  { path: '/agents/$id/chat', title: 'Chat' },
  { path: '/evals', title: 'Evals' },
  { path: '/providers', title: 'Providers' },
  { path: '/connectors', title: 'Connectors' },
  { path: '/packs', title: 'Packs' },
  { path: '/projects', title: 'Projects' },
  { path: '/conversations', title: 'Conversations' },
  { path: '/conversations/$id', title: 'Conversation' },
  { path: '/activity', title: 'Activity' },
  { path: '/automations', title: 'Automations' },
  { path: '/automations/triggers/$id', title: 'Trigger' },
  { path: '/automations/schedules/$id', title: 'Schedule' },
  { path: '/runs', title: 'Runs' },
  { path: '/runs/$id', title: 'Run' },
  { path: '/tasks', title: 'Tasks' },
  { path: '/account', title: 'Your account' },
  { path: '/settings/organization', title: 'Organization' },
  { path: '/settings/members', title: 'Members' },
  { path: '/settings/keys', title: 'Management keys' },
  { path: '/settings/apps', title: 'Apps' },
  { path: '/settings/webhooks', title: 'Webhooks' },
  { path: '/settings/webhooks/$id', title: 'Webhook' },
  { path: '/settings/schemas', title: 'Schemas' },
  { path: '/settings/schemas/$name', title: 'Schema' },
  { path: '/settings/corpora', title: 'Corpora' },
  { path: '/settings/audit', title: 'Audit' },
  { path: '/settings/notifications', title: 'Notifications' },
  { path: '/admin/requests', title: 'Access requests' },
  { path: '/admin/codes', title: 'Access codes' },
  { path: '/admin/events', title: 'Administrator events' },
  { path: '/admin/organizations', title: 'Organizations' },
  { path: '/admin/organizations/$id', title: 'Organization' },
  { path: '/admin/tiers', title: 'Tiers' },
  { path: '/admin/mail', title: 'Mail' },
  { path: '/admin/health', title: 'Service health' },
] as const satisfies readonly Page[]

const matches = (pattern: string, pathname: string): boolean => {
  const [expected, given] = [pattern.split('/'), pathname.split('/')]
  return (
    expected.length === given.length &&
    expected.every((part, index) => (part.startsWith('$') ? given[index] !== '' : part === given[index]))
  )
}

/** The page that a path leads to. */
export const findPage = (pathname: string): Page | undefined => pages.find(({ path }) => matches(path, pathname))

type EntryUrl = { pathname: string; search: URLSearchParams }

const isOurs = (path: string): boolean => /^\/(?![/\\])/.test(path) && findPage(path.split('?')[0] ?? '') !== undefined

/** The page after the sign-in: the one that required it, never another site. */
export const nextPath = ({ pathname, search }: EntryUrl): string => {
  if (pathname === '/sign-in' || pathname === '/sign-up') {
    const next = search.get('next') ?? '/'
    return isOurs(next) ? next : '/'
  }
  const kept = new URLSearchParams(search)
  for (const name of ['error', 'confirmed']) kept.delete(name)
  return kept.size > 0 ? `${pathname}?${kept}` : pathname
}

/** The sign-in or sign-up page that returns to the same page. */
export const entryPath = (page: '/sign-in' | '/sign-up', url: EntryUrl): string => {
  const next = nextPath(url)
  return next === '/' ? page : `${page}?${new URLSearchParams({ next })}`
}
