// Where the service shares its host with others, its pages are below a path. The pages themselves are named without it: what is
// written to the address bar and what is asked of the service has it before.

/** The URL of this file, which is in the assets folder below that path. */
const here = import.meta.url

/** The path that the service is below: `/noema`, or nothing where it has the host to itself. */
export const basePath = import.meta.env.DEV ? '' : new URL('..', here).pathname.slice(0, -1)

/** The URL of the service, for the page and the code examples. */
export const baseUrl = location.origin + basePath

/** The path of a page as its name: without the base path. */
export const toPagePath = (pathname: string): string =>
  pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : '/'
