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

export const findRoute = (pathname: string): Route => {
  const handle = /^\/brains\/([a-z0-9-]+)$/.exec(pathname)?.[1]
  return handle === undefined ? (views.get(pathname) ?? { view: 'not-found' }) : { view: 'brain', handle }
}

type Place = { pathname: string; search: URLSearchParams }

const isOurs = (path: string): boolean =>
  /^\/(?![/\\])/.test(path) && findRoute(path.split('?')[0] ?? '').view !== 'not-found'

/** Where signing in leads: to the page that asked for it, and never to another site. */
export const nextPath = ({ pathname, search }: Place): string => {
  if (pathname === '/sign-in' || pathname === '/sign-up') {
    const next = search.get('next') ?? '/'
    return isOurs(next) ? next : '/'
  }
  const kept = new URLSearchParams(search)
  for (const told of ['error', 'confirmed']) kept.delete(told)
  return kept.size > 0 ? `${pathname}?${kept}` : pathname
}

/** The same place's sign-in or sign-up page. */
export const entryPath = (page: '/sign-in' | '/sign-up', place: Place): string => {
  const next = nextPath(place)
  return next === '/' ? page : `${page}?${new URLSearchParams({ next })}`
}
