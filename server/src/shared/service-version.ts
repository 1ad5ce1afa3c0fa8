import { readFileSync } from 'node:fs'
import { z } from 'zod'

let read: string | undefined

/** The version of this service, as its package has it. */
export const readServiceVersion = (): string => {
  read ??= z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version
  return read
}
