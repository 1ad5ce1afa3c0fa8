import { readdir, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, join, relative, sep } from 'node:path'
import { mediaTypes } from '../media-types.ts'

/** The kinds of file that become documents, by extension, with their content types. */
export const contentTypes: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.mdx': 'text/markdown',
  '.markdown': 'text/markdown',
  '.txt': 'text/plain',
  '.rst': 'text/plain',
  '.adoc': 'text/plain',
}

/** The kinds of file that are uploaded, and whose extracted text becomes a document. */
const fileTypes: Readonly<Record<string, string>> = Object.fromEntries(
  ['.pdf', '.docx', '.xlsx', '.pptx', '.epub', '.html', '.htm', '.csv', '.eml'].map((extension) => [
    extension,
    mediaTypes[extension] ?? '',
  ]),
)

/** Everything that becomes a document, by extension. */
export const syncedTypes = { ...contentTypes, ...fileTypes }

/** Checks whether the service extracts the text of a file. */
export const isExtracted = (name: string): boolean => Object.hasOwn(fileTypes, extname(name).toLowerCase())

/** Something that was left out, by its path in the folder, and why. */
export type Skipped = { file: string; reason: string }

/** The files of a folder as sorted relative paths with forward slashes, and the skipped files. */
export type FoundFiles = { files: string[]; skipped: Skipped[] }

const isSynced = (name: string) => Object.hasOwn(syncedTypes, extname(name).toLowerCase())

const isHidden = (name: string) => name.startsWith('.') || name === 'node_modules'

const unreadable = 'cannot be read'

/** Why a file system call failed, in a few words. */
export const toReason = (error: unknown): string =>
  error instanceof Error && 'code' in error ? `${unreadable} (${String(error.code)})` : unreadable

/** Checks whether a file was skipped because reading it failed, so that its content is unknown. */
export const isUnreadable = ({ reason }: Skipped): boolean => reason.startsWith(unreadable)

// A link to a folder inside is not entered: its files are found where they are, and so no circle of links is walked.
const linkVerdict = async (root: string, path: string): Promise<'read' | 'ignore' | string> => {
  const target = await realpath(path)
  const inside = relative(root, target)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
    return 'is a link that leads out of the folder'
  return isSynced(path) && (await stat(target)).isFile() ? 'read' : 'ignore'
}

const walk = async (root: string, folder: string, found: FoundFiles): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const name = relative(root, path).split(sep).join('/')
    const skip = (reason: string) => void found.skipped.push({ file: name, reason })
    if (entry.isDirectory() && !isHidden(entry.name)) {
      await walk(root, path, found).catch((error: unknown) => skip(toReason(error)))
    } else if (entry.isSymbolicLink() && !isHidden(entry.name)) {
      const verdict = await linkVerdict(root, path).catch(toReason)
      if (verdict === 'read') found.files.push(name)
      else if (verdict !== 'ignore') skip(verdict)
    } else if (entry.isFile() && isSynced(entry.name)) {
      found.files.push(name)
    }
  }
}

/**
 * Finds the files under a folder. Dot folders and `node_modules` beneath it are not entered, and no link
 * out of it is followed. Rejects when the folder itself cannot be read.
 */
export const findFiles = async (folder: string): Promise<FoundFiles> => {
  const root = await realpath(folder)
  const found: FoundFiles = { files: [], skipped: [] }
  await walk(root, root, found)
  found.files.sort()
  found.skipped.sort((a, b) => (a.file < b.file ? -1 : 1))
  return found
}
