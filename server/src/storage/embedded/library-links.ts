import { lstat, readFile, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { toErrorCode } from './file-errors.ts'

type Link = { source: string; target: string }

/**
 * Creates the library links that the package lists and npm packages cannot contain; without them no program starts. The
 * package's install script does the same, but npm may be set not to run it.
 */
export async function addMissingLinks(packageDir: string): Promise<'complete' | 'not writable'> {
  const list = await readFile(join(packageDir, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as Link[]) {
    const link = join(packageDir, target)
    if (await exists(link)) continue
    try {
      await symlink(relative(dirname(link), join(packageDir, source)), link)
    } catch (error) {
      // Another process that starts at the same moment creates the same link.
      if (toErrorCode(error) === 'EEXIST') continue
      if (['EACCES', 'EPERM', 'EROFS'].includes(toErrorCode(error))) return 'not writable'
      throw error
    }
  }
  return 'complete'
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
