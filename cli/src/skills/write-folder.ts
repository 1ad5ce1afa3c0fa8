import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { skillPath } from '@noema/contracts/skills.ts'
import { UsageError } from '../exit-codes.ts'

// Files come from the service under paths that others chose. They are written only inside the folder: no path that leads out, and no
// link that is there already.

type File = { path: string; text: string }

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The folders above a file, from the outermost one inside the skill. */
const listFolders = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}

const findKind = async (file: string): Promise<'folder' | 'file' | 'other' | undefined> => {
  try {
    const found = await lstat(file)
    return found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other'
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const checkPath = (path: string): void => {
  if (!skillPath.safeParse(path).success || /^[A-Za-z]:/.test(path))
    throw new UsageError(`${JSON.stringify(path)} is no path inside a folder. The skill was not written.`)
}

/** Refuses paths that lead out of the folder, by themselves or through a link. Names the files with another text. */
const findEdits = async (root: string, files: readonly File[]): Promise<string[]> => {
  const edited: string[] = []
  for (const { path, text } of files) {
    checkPath(path)
    for (const folder of listFolders(path)) {
      const kind = await findKind(join(root, folder))
      if (kind !== undefined && kind !== 'folder')
        throw new UsageError(`${folder} is not a folder here. Move it away. The skill was not written.`)
    }
    const kind = await findKind(join(root, path))
    if (kind === undefined) continue
    if (kind !== 'file') throw new UsageError(`${path} is not a file here. Move it away. The skill was not written.`)
    if ((await readFile(join(root, path), 'utf8')) !== text) edited.push(path)
  }
  return edited
}

/** Writes the files of a skill into a folder. Files there that differ are replaced only if `overwrites` is true. */
export const writeSkillFolder = async (
  folder: string,
  files: readonly File[],
  { overwrites }: { overwrites: boolean },
): Promise<void> => {
  const root = resolve(folder)
  const edited = await findEdits(root, files)
  if (edited.length > 0 && !overwrites)
    throw new UsageError(
      `These files differ here: ${edited.join(', ')}. Push them first, or replace them with --overwrite. Nothing was written.`,
    )
  for (const { path, text } of files) {
    const file = join(root, path)
    await mkdir(dirname(file), { recursive: true })
    // A rename replaces a link that came meanwhile, and does not follow it.
    const unfinished = `${file}.${process.pid}.part`
    await writeFile(unfinished, text, { flag: 'wx' })
    await rename(unfinished, file).catch(async (error: unknown) => {
      await rm(unfinished, { force: true })
      throw error
    })
  }
}
