import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot, serverAccount } from './run-as.ts'

/** The destination of the write-ahead log next to the data folder: a folder, or a command of the operator. */
export type WalArchive = { folder: string } | { command: string; restoreCommand: string | undefined }

/** Quotes text for the shell, in a command in which PostgreSQL replaces percent signs. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`

/** The folders of log segments and of base backups in an archive. */
const findWalFolder = (archive: string): string => join(archive, 'wal')
export const findBaseFolder = (archive: string): string => join(archive, 'base')

/** Interval at which an unfinished segment is closed: the most that a lost machine may cost. */
const archiveSeconds = 60

// A segment appears under its name once it is whole and on disk. One that is there already is as it should be, after a crash
// between its archiving and PostgreSQL's note of it; one that differs is never replaced.
const toFolderCommand = (folder: string): string => {
  const target = `${quote(folder)}/%f`
  const partial = `${quote(folder)}/.%f.part`
  return `if test -f ${target}; then cmp -s %p ${target}; else cp %p ${partial} && sync ${partial} && mv ${partial} ${target}; fi`
}

/** The settings of a server whose log is archived. */
export const toArchiveSettings = (archive: WalArchive): Record<string, string> => ({
  archive_mode: 'on',
  archive_timeout: `${archiveSeconds}s`,
  archive_command: 'folder' in archive ? toFolderCommand(findWalFolder(archive.folder)) : archive.command,
})

/** Creates the folders of an archive, which only the user of PostgreSQL can read. */
export async function prepareArchive(archive: string, dataPath: string): Promise<void> {
  const account = isRoot() ? serverAccount(dataPath) : undefined
  const wal = findWalFolder(archive)
  await mkdir(archive, { recursive: true, mode: 0o711 })
  for (const folder of [wal, findBaseFolder(archive)]) await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account) await chown(wal, account.uid, account.gid)
}

/**
 * Returns the command that fetches a segment of the log in a recovery: from the archive, else from the files of a lost
 * server.
 */
export const toRestoreCommand = (archive: WalArchive | undefined, leftFolder: string | undefined): string => {
  const fetch = (folder: string) => `cp ${quote(folder)}/%f "%p"`
  const ways = [
    ...(archive === undefined
      ? []
      : 'folder' in archive
        ? [fetch(findWalFolder(archive.folder))]
        : [archive.restoreCommand ?? 'false']),
    ...(leftFolder === undefined ? [] : [fetch(leftFolder)]),
  ]
  return ways.length > 0 ? ways.map((way) => `{ ${way}; }`).join(' || ') : 'false'
}
