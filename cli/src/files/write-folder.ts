import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { UsageError } from '../exit-codes.ts'

// Files come from the service under paths that others chose. They are written only inside the folder: no path that leads out, and no
// link that is there already.

type File = { path: string; text: string }

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The name of the written thing for messages, and the check of its paths. */
export type Written = { what: string; isPath: (path: string) => boolean }

/** The folders above a file, from the outermost one inside. */
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

const checkPath = (path: string, { what, isPath }: Written): void => {
  if (!isPath(path) || /^[A-Za-z]:/.test(path))
    throw new UsageError(`${JSON.stringify(path)} is no path inside a folder. The ${what} was not written.`)
}

/** Refuses paths that lead out of the folder, by themselves or through a link. Names the files with another text. */
export const findEdits = async (root: string, files: readonly File[], written: Written): Promise<string[]> => {
  const { what } = written
  const edited: string[] = []
  for (const { path, text } of files) {
    checkPath(path, written)
    for (const folder of listFolders(path)) {
      const kind = await findKind(join(root, folder))
      if (kind !== undefined && kind !== 'folder')
        throw new UsageError(`${folder} is not a folder here. Move it away. The ${what} was not written.`)
    }
    const kind = await findKind(join(root, path))
    if (kind === undefined) continue
    if (kind !== 'file') throw new UsageError(`${path} is not a file here. Move it away. The ${what} was not written.`)
    if ((await readFile(join(root, path), 'utf8')) !== text) edited.push(path)
  }
  return edited
}

/** Writes files whose paths were checked. */
export const writeFiles = async (root: string, files: readonly File[]): Promise<void> => {
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

/** The refusal to replace files that differ. */
export const differingFiles = (edited: readonly string[]): UsageError =>
  new UsageError(
    `These files differ here: ${edited.slice(0, 20).join(', ')}. Push them first, or replace them with --overwrite. Nothing was written.`,
  )

/** Writes files into a folder. Files there that differ are replaced only if `overwrites` is true. */
export const writeFolder = async (
  folder: string,
  files: readonly File[],
  { overwrites, ...written }: Written & { overwrites: boolean },
): Promise<void> => {
  const root = resolve(folder)
  const edited = await findEdits(root, files, written)
  if (edited.length > 0 && !overwrites) throw differingFiles(edited)
  await writeFiles(root, files)
}
