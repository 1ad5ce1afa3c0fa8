import { resolve } from 'node:path'
import { z } from 'zod'
import { BadSetting, type Settings, type ValuesOf } from './setting.ts'

/** Settings of the archive of the built-in database's write-ahead log. */
export const archiveSettings = {
  NOEMA_WAL_ARCHIVE: {
    schema: z.string().min(1).optional(),
    about:
      'Folder where the built-in database archives its write-ahead log, best on another disk. With a base backup it lets you restore the state of any later moment.',
    example: '/backups/noema',
  },
  NOEMA_WAL_ARCHIVE_COMMAND: {
    schema: z.string().min(1).optional(),
    about:
      'Shell command that archives a log segment instead, like `archive_command` of PostgreSQL: `%p` is its path, `%f` its name. It must fail unless the segment is stored.',
    example: 'aws s3 cp %p s3://backups/noema/%f',
  },
  NOEMA_WAL_RESTORE_COMMAND: {
    schema: z.string().min(1).optional(),
    about:
      'Shell command that fetches an archived segment for a restore: `%f` is its name, `%p` the path to write it to.',
    example: 'aws s3 cp s3://backups/noema/%f %p',
  },
} as const satisfies Settings

/** The archive of the built-in database's log: a folder, or the operator's own commands. */
export type WalArchive = { folder: string } | { command: string; restoreCommand: string | undefined }

export const readWalArchive = (
  values: ValuesOf<typeof archiveSettings>,
  { cwd, databaseUrl }: { cwd: string; databaseUrl: string | undefined },
): WalArchive | undefined => {
  const { NOEMA_WAL_ARCHIVE: folder, NOEMA_WAL_ARCHIVE_COMMAND: command } = values
  if (folder !== undefined && command !== undefined)
    throw new BadSetting('NOEMA_WAL_ARCHIVE and NOEMA_WAL_ARCHIVE_COMMAND are both set; keep one of them.')
  if (databaseUrl !== undefined && (folder ?? command) !== undefined)
    throw new BadSetting(
      'NOEMA_WAL_ARCHIVE is for the built-in database. With NOEMA_DATABASE_URL, use the tools of that server.',
    )
  if (folder !== undefined) return { folder: resolve(cwd, folder) }
  return command === undefined ? undefined : { command, restoreCommand: values.NOEMA_WAL_RESTORE_COMMAND }
}
