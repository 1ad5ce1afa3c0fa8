import { lookup, Resolver } from 'node:dns/promises'

/** Finds the addresses of a name. Rejects with an error whose `code` is that of DNS. */
export type Resolve = (host: string, isAllowed: boolean) => Promise<string[]>

// A resolver apart from the system's: a name server that does not answer would block one of the system resolver's few
// threads for seconds, and file reads with it. It knows neither /etc/hosts nor search domains, which name no public host.
const resolver = new Resolver({ timeout: 2_000, tries: 2 })

const resolveAddresses = async (host: string): Promise<string[]> => {
  const families = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const found = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
  const [failure] = families.filter((family) => family.status === 'rejected')
  if (found.length === 0 && failure) throw failure.reason
  return found
}

/** Resolves names by DNS, and those that the operator allows by the system's own ways. */
export const resolveHost: Resolve = async (host, isAllowed) => {
  if (!isAllowed) return resolveAddresses(host)
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Checks whether an error means that the name does not exist, rather than that no name server answered. */
export const isNoSuchName = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOTFOUND' || error.code === 'ENODATA')
