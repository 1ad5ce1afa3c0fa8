import { resolve } from 'node:path'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

/** The name of a backup that was given none: noema-20260301T120000Z.backup. */
const toName = (date: Date): string => `noema-${date.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`

const toMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

/** Writes a backup of the service's database while it goes on. Prints the path of the file. */
export const backup = async (context: Context, given: string | undefined, options: GlobalOptions): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const file = resolve(cwd, given ?? toName(new Date()))
  const made = await (await context.loadBackups()).backUp({ file, cwd, env })
  if (options.json) {
    await writeJson(stdout, made)
    return exitCodes.ok
  }
  await writeLine(stdout, made.file)
  await writeLine(stderr, `Backed up ${made.rows} rows of ${made.place}, ${toMegabytes(made.bytes)}.`)
  const about = made.hasSecret
    ? 'The secret of the data folder is in it: keep it where only you can read it.'
    : 'NOEMA_SECRET is not in it: keep that elsewhere, a restore needs it.'
  await writeLine(stderr, about)
  return exitCodes.ok
}

/** Reads a backup to its end and compares its checksum. */
export const verify = async (context: Context, given: string, options: GlobalOptions): Promise<number> => {
  const { cwd, stdout } = context
  const found = await (await context.loadBackups()).verifyBackup({ file: resolve(cwd, given) })
  if (options.json) await writeJson(stdout, found)
  else {
    const { rows, tables, version, createdAt } = found
    await writeLine(stdout, `Whole: ${rows} rows of ${tables} tables, of Noema ${version}, made at ${createdAt}.`)
  }
  return exitCodes.ok
}

/** Restores a backup into an empty database. */
export const restore = async (context: Context, given: string, options: GlobalOptions): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const restored = await (await context.loadBackups()).restoreBackup({ file: resolve(cwd, given), cwd, env })
  if (options.json) await writeJson(stdout, restored)
  else {
    const { rows, place, createdAt } = restored
    await writeLine(stderr, `Restored ${rows} rows into ${place}, as they were at ${createdAt}.`)
    await writeLine(stderr, 'Start the service: noema serve')
  }
  return exitCodes.ok
}
