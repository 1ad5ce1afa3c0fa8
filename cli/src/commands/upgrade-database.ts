import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

/** Brings the built-in database to the major version of PostgreSQL that comes with the service. */
export const upgradeDatabase = async (
  context: Context,
  options: GlobalOptions & { programs?: string },
): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const { upgradeDatabase: upgrade } = await context.loadUpgrade()
  const upgraded = await upgrade({ programs: options.programs, cwd, env })
  const { place, from, to, rows, kept } = upgraded
  if (options.json) await writeJson(stdout, upgraded)
  else if (kept === null)
    await writeLine(stderr, `Nothing to do: the database in ${place} is of PostgreSQL ${to} already.`)
  else {
    await writeLine(stderr, `Upgraded the database in ${place} from PostgreSQL ${from} to ${to}: ${rows} rows.`)
    await writeLine(stderr, `The earlier files are in ${kept}. Delete them after you have checked the result.`)
  }
  return exitCodes.ok
}
