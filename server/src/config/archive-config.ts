import { resolve } from 'node:path'
import type { z } from 'zod'
import type { archiveSettings } from './archive-settings.ts'

/** Where the built-in database archives its write-ahead log: into a folder, or by commands of the operator's. */
export type WalArchive = { folder: string } | { command: string; restoreCommand: string | undefined }

type Values = {
  [Name in keyof typeof archiveSettings]: z.output<(typeof archiveSettings)[Name]['schema']>
} & { NOEMA_DATABASE_URL: string | undefined }

/** Reads what the settings say of the archive. Throws what `refuse` makes of a combination that cannot be meant. */
export const readWalArchive = (
  values: Values,
  cwd: string,
  refuse: (reason: string) => Error,
): WalArchive | undefined => {
  const { NOEMA_WAL_ARCHIVE: folder, NOEMA_WAL_ARCHIVE_COMMAND: command } = values
  if (folder !== undefined && command !== undefined)
    throw refuse('NOEMA_WAL_ARCHIVE and NOEMA_WAL_ARCHIVE_COMMAND are both set; keep one of them.')
  if (values.NOEMA_DATABASE_URL !== undefined && (folder ?? command) !== undefined)
    throw refuse(
      'NOEMA_WAL_ARCHIVE is for the built-in database. With NOEMA_DATABASE_URL, use the tools of that server.',
    )
  if (folder !== undefined) return { folder: resolve(cwd, folder) }
  return command === undefined ? undefined : { command, restoreCommand: values.NOEMA_WAL_RESTORE_COMMAND }
}
