import { randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { toErrorCode } from './file-errors.ts'
import { removeLeftovers } from './leftovers.ts'
import { addMissingLinks } from './library-links.ts'

/**
 * Copies the package once to `target`, readable by everyone, and returns `target`. For a package below a folder that is
 * closed to the user PostgreSQL runs as, or one that lacks its library links and is not writable.
 */
export async function cachedCopy(packageDir: string, target: string): Promise<string> {
  if (await stat(target).catch(() => undefined)) return target
  await mkdir(dirname(target), { recursive: true, mode: 0o755 })
  await removeLeftovers(dirname(target), `${basename(target)}.new-`)
  const unfinished = `${target}.new-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await cp(packageDir, unfinished, { recursive: true, verbatimSymlinks: true })
    await addMissingLinks(unfinished)
    await openToEveryone(unfinished)
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process has put the same copy there meanwhile.
    if (toErrorCode(error) !== 'ENOTEMPTY' && toErrorCode(error) !== 'EEXIST') throw error
  }
  return target
}

// A private umask at install time leaves files that only root can read.
async function openToEveryone(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToEveryone(path)
    else if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644)
  }
}
