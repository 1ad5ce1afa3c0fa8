let made = 0

/** A name that no other call uses. */
export const fresh = (what: string): string => `${what}-${++made}`

/** An address without a listener. */
export const unreachable = 'http://127.0.0.1:9/'
