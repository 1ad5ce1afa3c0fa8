import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Debian's folders of PostgreSQL, the newest first. */
const listInstalled = (): string[] => {
  const all = '/usr/lib/postgresql'
  if (!existsSync(all)) return []
  const majors = readdirSync(all).sort((one, other) => Number(other) - Number(one))
  return majors.map((major) => join(all, major))
}

/** The folder of a PostgreSQL of this machine that has Citus. */
export const findCitus = (): string | undefined =>
  listInstalled().find((folder) => existsSync(join(folder, 'lib', 'citus.so')))
