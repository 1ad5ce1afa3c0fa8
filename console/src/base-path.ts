// A service that shares its host with others has a base path. The names of pages do not include it: it is added to the paths in
// the address bar and in requests.

/** The URL of this file, which is in the assets folder below that path. */
const here = import.meta.url

/** The base path of the service, such as `/noema`; empty if it has the host to itself. */
export const basePath = import.meta.env.DEV ? '' : new URL('..', here).pathname.slice(0, -1)

/** The URL of the service, for the page and the code examples. */
export const baseUrl = location.origin + basePath

/** The path of a page as its name: without the base path. */
export const toPagePath = (pathname: string): string =>
  pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '/'
