import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot, serverAccount } from './run-as.ts'

/** Where the write-ahead log goes beside the data folder: into a folder, or by a command of the operator's. */
export type WalArchive = { folder: string } | { command: string; restoreCommand: string | undefined }

/** Text within single quotes of the shell, in a command in which PostgreSQL replaces what begins with a percent sign. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''").replaceAll('%', '%%')}'`

/** Of an archive folder: where segments of the log are, and where base backups are. */
const findWalFolder = (archive: string): string => join(archive, 'wal')
export const findBaseFolder = (archive: string): string => join(archive, 'base')

/** How often a segment is closed while there is something in it: what a lost machine may cost at most. */
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

/** Makes the folders of an archive, open to the user that PostgreSQL runs as and to nobody else. */
export async function prepareArchive(archive: string, dataPath: string): Promise<void> {
  const account = isRoot() ? serverAccount(dataPath) : undefined
  const wal = findWalFolder(archive)
  await mkdir(archive, { recursive: true, mode: 0o711 })
  for (const folder of [wal, findBaseFolder(archive)]) await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account) await chown(wal, account.uid, account.gid)
}

/** The command that fetches a segment of the log in a recovery: from the archive, else from what is left of a lost server. */
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
