/** Every page by its path. The server answers the same paths with the page; another path is a 404 of its own. */
export type Route =
  | { view: 'start' | 'sign-in' | 'sign-up' | 'forgot-password' | 'reset-password' | 'accept-invitation' }
  | { view: 'keys' | 'brains' | 'not-found' }
  | { view: 'brain'; handle: string }

const views = new Map<string, Route>([
  ['/', { view: 'start' }],
  ['/sign-in', { view: 'sign-in' }],
  ['/sign-up', { view: 'sign-up' }],
  ['/forgot-password', { view: 'forgot-password' }],
  ['/reset-password', { view: 'reset-password' }],
  ['/accept-invitation', { view: 'accept-invitation' }],
  ['/keys', { view: 'keys' }],
  ['/brains', { view: 'brains' }],
])

export const routeOf = (pathname: string): Route => {
  const handle = /^\/brains\/([a-z0-9-]+)$/.exec(pathname)?.[1]
  return handle === undefined ? (views.get(pathname) ?? { view: 'not-found' }) : { view: 'brain', handle }
}

/** Where to go after signing in: the page that asked for it, and never another site. */
export const nextPath = (search: URLSearchParams): string => {
  const next = search.get('next') ?? '/'
  return /^\/(?![/\\])/.test(next) && routeOf(next.split('?')[0] ?? '').view !== 'not-found' ? next : '/'
}
