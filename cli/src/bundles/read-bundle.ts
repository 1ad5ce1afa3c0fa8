import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { UsageError } from '../exit-codes.ts'
import { archiveLimits, type BundleText, decodeText, readArchive } from './read-archive.ts'

async function* readFolder(root: string, folder: string): AsyncGenerator<BundleText> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const file = join(folder, entry.name)
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) yield* readFolder(root, file)
    // Links would lead out of the folder.
    else if (entry.isFile() && entry.name.endsWith('.md')) {
      const path = relative(root, file).split(sep).join('/')
      const { size } = await lstat(file)
      if (size > archiveLimits.fileBytes)
        throw new UsageError(`${path} has ${size} bytes; a file of a bundle has at most ${archiveLimits.fileBytes}.`)
      yield { path, text: decodeText(await readFile(file), path) }
    }
  }
}

/** The Markdown files of a folder, or the files of an archive. Hidden files, node_modules and links of a folder are left out. */
export async function* readBundle(path: string): AsyncGenerator<BundleText> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) throw new UsageError(`${path} is not there.`)
  if (found.isDirectory()) yield* readFolder(path, path)
  else for await (const file of readArchive(path)) if (file.path.endsWith('.md')) yield file
}
