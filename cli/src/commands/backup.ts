import { resolve } from 'node:path'
import { toSize } from '@noema/contracts/sizes.ts'
import type { Context, GlobalOptions, StoredFiles } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'

/** The name of a backup that was given none: noema-20260301T120000Z.backup. */
const toName = (date: Date): string => `noema-${date.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`

/** Warns if the database could not record a backup, which is complete anyway. */
const warnUnnoted = async ({ stderr }: Context, { noted }: { noted: boolean }): Promise<void> => {
  if (!noted) await writeLine(stderr, 'The database could not record it, so health and metrics show only earlier ones.')
}

/** Warns if files are not in a backup, because their bytes are in the operator's own store. */
const warnElsewhere = async ({ stderr }: Context, { files, bytes }: StoredFiles, advice: string): Promise<void> => {
  if (files === 0) return
  const what = `${files} ${files === 1 ? 'version' : 'versions'} of files (${toSize(bytes)})`
  await writeLine(stderr, `The bytes of ${what} are not in it, but in the store of NOEMA_ARTIFACT_S3_URL: ${advice}`)
}

const backUpBase = async (context: Context, given: string | undefined, options: GlobalOptions): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const folder = given === undefined ? undefined : resolve(cwd, given)
  const made = await (await context.loadBaseBackups()).makeBaseBackup({ folder, cwd, env })
  if (options.json) await writeJson(stdout, made)
  else {
    await writeLine(stdout, made.folder)
    await writeLine(stderr, `Copied ${made.files} files, ${toSize(made.bytes)}.`)
    await writeLine(stderr, `Any moment after ${made.stoppedAt} can be restored, as far as the archive goes.`)
    await warnUnnoted(context, made)
    await warnElsewhere(context, made.elsewhere, 'back up its bucket, too.')
  }
  return exitCodes.ok
}

/** Writes a backup of the service's database while the service runs. Prints the path of the file. */
export const backup = async (
  context: Context,
  given: string | undefined,
  options: GlobalOptions & { base?: boolean },
): Promise<number> => {
  if (options.base) return backUpBase(context, given, options)
  const { cwd, env, stdout, stderr } = context
  const file = resolve(cwd, given ?? toName(new Date()))
  const made = await (await context.loadBackups()).backUp({ file, cwd, env })
  if (options.json) {
    await writeJson(stdout, made)
    return exitCodes.ok
  }
  await writeLine(stdout, made.file)
  await writeLine(stderr, `Backed up ${made.rows} rows of ${made.place}, ${toSize(made.bytes)}.`)
  const about = made.hasSecret
    ? 'It contains the secret of the data folder: store it so that only you can read it.'
    : 'NOEMA_SECRET is not in it: keep that elsewhere, a restore needs it.'
  await writeLine(stderr, about)
  await warnUnnoted(context, made)
  await warnElsewhere(context, made.elsewhere, 'back up its bucket, too.')
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

type RestoreOptions = GlobalOptions & { base?: string; to?: string; wal?: string }

/** Restores a base backup and the log that follows it, up to a moment. */
const restoreToMoment = async (context: Context, base: string, options: RestoreOptions): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  const { to, wal } = options
  const restored = await (await context.loadBaseBackups()).recoverDatabase({ base, to, wal, cwd, env })
  if (options.json) await writeJson(stdout, restored)
  else {
    const moment = restored.to === null ? 'as far as its log goes' : `as it was at ${restored.to}`
    await writeLine(stderr, `Restored ${restored.base} into ${restored.place}, ${moment}.`)
    await writeLine(stderr, 'Start the service: noema serve')
  }
  return exitCodes.ok
}

/** Restores a backup into an empty database, or the built-in one as it was at a moment. */
export const restore = async (
  context: Context,
  given: string | undefined,
  options: RestoreOptions,
): Promise<number> => {
  const { cwd, env, stdout, stderr } = context
  if (options.base !== undefined) {
    if (given !== undefined) throw new UsageError('Give a backup file or --base, not both.')
    return restoreToMoment(context, options.base, options)
  }
  if (options.to !== undefined) throw new UsageError('--to needs --base <archive>: a backup file is of one moment.')
  if (given === undefined) throw new UsageError('Which backup? Name its file, or an archive with --base.')
  const restored = await (await context.loadBackups()).restoreBackup({ file: resolve(cwd, given), cwd, env })
  if (options.json) await writeJson(stdout, restored)
  else {
    const { rows, place, createdAt } = restored
    await writeLine(stderr, `Restored ${rows} rows into ${place}, as they were at ${createdAt}.`)
    await warnElsewhere(context, restored.elsewhere, 'start the service with that bucket or a copy of it.')
    await writeLine(stderr, 'Start the service: noema serve')
  }
  return exitCodes.ok
}
