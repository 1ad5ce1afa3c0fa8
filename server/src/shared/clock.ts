/**
 * The one clock that leases, retries, expiry, rotation, caps and dates read: the same for all nodes of a database, and one that
 * a test can move.
 */
export type Clock = { now(): Date }

/** The clock of a process that is not a node. */
export const systemClock: Clock = { now: () => new Date() }
