/** A URL up to its hosts, the hosts, and what comes after them. */
const parts = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/

/**
 * Lists one URL per host of a database URL, as in `postgres://me@a:5432,b/noema`. The hosts are copies of one database, of
 * which one accepts writes.
 */
export const listHostUrls = (url: string): string[] => {
  const [, before = '', hosts = '', after = ''] = parts.exec(url) ?? []
  return hosts.split(',').map((host) => `${before}${host}${after}`)
}

/** Checks whether a text is the URL of a database. */
export const isDatabaseUrl = (text: string): boolean => {
  const hosts = parts.exec(text)?.[2]?.split(',') ?? []
  if (hosts.length === 0 || (hosts.length > 1 && hosts.includes(''))) return false
  return listHostUrls(text).every((url) => URL.canParse(url))
}

/** Describes a database's location to the operator, without credentials. */
export const toPlace = (url: string): string => {
  const urls = listHostUrls(url).map((one) => new URL(one))
  return `PostgreSQL ${urls.map(({ hostname }) => hostname).join()}${urls[0]?.pathname ?? ''}`
}
