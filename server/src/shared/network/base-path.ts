// If a service shares its host with others, its public address has a path, and all its own paths are below that one.

/** The path of a public address: `/noema` of https://example.com/noema, and nothing where the service has the host to itself. */
export const toBasePath = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, '')

/**
 * Removes the base path from a request's path; a proxy may have removed it already. Because both forms work, no route of
 * the service may start like the base path.
 */
export const withoutBasePath = (basePath: string, url: string): string => {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}
