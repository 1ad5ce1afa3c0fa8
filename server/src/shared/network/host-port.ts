/** A host, by its name or address, and a port of it. */
export type HostPort = { host: string; port: number }

/** Writes a host and a port as URLs have them: an IPv6 address in brackets. */
export const toHostPort = ({ host, port }: HostPort): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`

/** Reads a host and a port that were written this way. */
export const parseHostPort = (text: string): HostPort => {
  const end = text.lastIndexOf(':')
  return { host: text.slice(0, end).replace(/^\[|\]$/g, ''), port: Number(text.slice(end + 1)) }
}
