/** The one clock that expiry, rotation, caps and dates read, so that a test can move it. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }
