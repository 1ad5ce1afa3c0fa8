import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

export type InitOptions = GlobalOptions & {
  port?: string
  databaseUrl?: string
  publicUrl?: string
  dataDir?: string
  force?: boolean
}

/** Puts values into the lines of the example that name them; the rest stays commented out. */
const fillIn = (example: string, values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values).reduce(
    (text, [name, value]) =>
      value === undefined ? text : text.replace(new RegExp(`^# ${name}=.*$`, 'm'), () => `${name}=${value}`),
    example
      .split('\n')
      .filter((line) => !line.includes('copy this file to .env'))
      .join('\n'),
  )

/**
 * Writes a .env with every setting commented out but those that were given, and says what to run next. With a database of
 * one's own there is a secret in it, which several nodes share; the built-in one keeps its secret in the data folder.
 */
export const init = async (context: Context, folder: string | undefined, options: InitOptions): Promise<number> => {
  const { cwd, stdout, stderr } = context
  const { settingsExample, checkSettings } = await context.loadOperator()
  const place = resolve(cwd, folder ?? '.')
  const file = join(place, '.env')
  const values = {
    NOEMA_PORT: options.port,
    NOEMA_PUBLIC_URL: options.publicUrl,
    NOEMA_DATA_DIR: options.dataDir,
    NOEMA_DATABASE_URL: options.databaseUrl,
    NOEMA_SECRET: options.databaseUrl === undefined ? undefined : randomBytes(48).toString('base64url'),
  }
  const wrong = checkSettings(values, place)
  if (wrong !== undefined) throw new UsageError(wrong)
  await mkdir(place, { recursive: true })
  const flag = options.force ? 'w' : 'wx'
  await writeFile(file, fillIn(settingsExample(), values), { mode: 0o600, flag }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw new UsageError(`${file} exists already. Edit it, or replace it with --force.`)
      throw error
    },
  )
  if (options.json) {
    await writeJson(stdout, { file })
    return exitCodes.ok
  }
  await writeLine(stderr, `Wrote ${file}. Next${place === cwd ? '' : `, in ${place}`}:`)
  await writeLine(stdout, 'noema doctor                    # checks this machine and these settings')
  await writeLine(stdout, 'noema serve                     # starts the service')
  await writeLine(stdout, 'noema keys mint | noema login   # in a second terminal: a first key, saved')
  return exitCodes.ok
}
