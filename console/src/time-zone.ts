// Newer browsers know the time zone without the data of languages, which takes 80 ms to load.
const { Temporal } = globalThis as { Temporal?: { Now: { timeZoneId(): string } } }

/** The name of the browser's time zone, such as `Europe/Zurich`. */
export const readTimeZone = (): string => Temporal?.Now.timeZoneId() ?? Intl.DateTimeFormat().resolvedOptions().timeZone
