// Where a service shares its host with others, its public address has a path, and everything that it has is below that path.

/** The path of a public address: `/noema` of https://example.com/noema, and nothing where the service has the host to itself. */
export const toBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '')

/**
 * The path of a request as the service's routes know it: without the base path, which a proxy may have cut off already. That
 * both are understood is why no route of the service may begin as the base path does.
 */
export const withoutBasePath = (basePath: string, url: string): string => {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
