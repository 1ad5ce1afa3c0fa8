import { z } from 'zod'

// The times of a schedule.

/** Five fields (minute, hour, day of month, month, day of week), such as `0 9 * * 1-5`, or `@hourly`, `@daily` and so on. */
export const cron = z
  .string()
  .trim()
  .min(1)
  .max(200, 'A cron expression has at most 200 characters.')
  .describe('When to run, as five fields: minute, hour, day, month, weekday.')

/** A time zone by its IANA name, such as `Europe/Berlin`. */
export const timezone = z
  .string()
  .trim()
  .min(1)
  .max(100, 'A time zone has at most 100 characters.')
  .describe('The time zone, such as Europe/Berlin.')
