import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toErrorCode } from './file-errors.ts'

/** A file of a base backup, with the figures to verify a copy. */
export type StoredFile = { path: string; bytes: number; sha256: string }

// Files that a server creates again, or that belong to others: PostgreSQL's own list of exclusions from a base backup.
const emptyFolders = [
  'pg_wal',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]
const leftOut = ['postmaster.pid', 'postmaster.opts', 'pg_internal.init', 'backup_label.old', 'tablespace_map.old']
// The socket may be in the folder, too: its lock file names a server that another one would wait for.
const isLeftOut = (name: string): boolean => leftOut.includes(name) || /^(pgsql_tmp|\.s\.PGSQL\.)/.test(name)
// It contains the position of the log, so it is read last.
const controlFile = 'global/pg_control'

async function* listFiles(
  root: string,
  below = '',
): AsyncGenerator<{ path: string; kind: 'file' | 'folder' | 'link' }> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: unknown) => {
    // A table that was dropped meanwhile takes its files along.
    if (toErrorCode(error) === 'ENOENT') return []
    throw error
  })
  for (const entry of entries) {
    const path = join(below, entry.name)
    if (isLeftOut(entry.name)) continue
    if (entry.isSymbolicLink()) yield { path, kind: 'link' }
    else if (entry.isFile()) yield { path, kind: 'file' }
    else if (entry.isDirectory()) {
      yield { path, kind: 'folder' }
      if (!emptyFolders.includes(path)) yield* listFiles(root, path)
    }
  }
}

/** Copies one file and returns its size and hash; undefined if it no longer exists. */
const copyFile = async (from: string, to: string): Promise<{ bytes: number; sha256: string } | undefined> => {
  const hash = createHash('sha256')
  let bytes = 0
  const counted = new Transform({
    transform: (chunk: Buffer, _, done) => {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  try {
    await pipeline(createReadStream(from), counted, createWriteStream(to, { mode: 0o600, flush: true }))
    return { bytes, sha256: hash.digest('hex') }
  } catch (error) {
    if (toErrorCode(error) !== 'ENOENT' || (await stat(dirname(to)).catch(() => undefined)) === undefined) throw error
    return undefined
  }
}

/** Copies the files of a running server between its `pg_backup_start` and `pg_backup_stop`. */
export const copyDataFiles = async (dataPath: string, target: string): Promise<StoredFile[]> => {
  const files: StoredFile[] = []
  const copy = async (path: string) => {
    const copied = await copyFile(join(dataPath, path), join(target, path))
    if (copied) files.push({ path, ...copied })
  }
  await mkdir(target, { recursive: true, mode: 0o700 })
  for await (const { path, kind } of listFiles(dataPath)) {
    if (kind === 'folder') await mkdir(join(target, path), { recursive: true, mode: 0o700 })
    else if (kind === 'link') await symlink(await readlink(join(dataPath, path)), join(target, path))
    else if (path !== controlFile) await copy(path)
  }
  await copy(controlFile)
  return files
}

/** Writes the files that a server reads when it starts from this backup: the position from which it needs the log. */
export const writeLabels = async (target: string, label: string, tablespaces: string): Promise<StoredFile[]> => {
  const texts = [['backup_label', label], ...(tablespaces === '' ? [] : [['tablespace_map', tablespaces]])]
  return Promise.all(
    texts.map(async ([path = '', text = '']) => {
      await writeFile(join(target, path), text, { mode: 0o600, flush: true })
      return { path, bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/** Copies a base backup to where a server will begin from it, and checks each file. Throws where one is damaged. */
export const restoreDataFiles = async (source: string, target: string, files: readonly StoredFile[]): Promise<void> => {
  await mkdir(target, { mode: 0o700 })
  for await (const { path, kind } of listFiles(source)) {
    if (kind === 'folder') await mkdir(join(target, path), { recursive: true, mode: 0o700 })
    else if (kind === 'link') await symlink(await readlink(join(source, path)), join(target, path))
  }
  for (const { path, bytes, sha256 } of files) {
    const copied = await copyFile(join(source, path), join(target, path))
    if (copied?.bytes !== bytes || copied.sha256 !== sha256)
      throw new Error(`The base backup is damaged: ${path} is not what it was. Use another one.`)
  }
}
