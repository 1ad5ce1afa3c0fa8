import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { skillFile, skillLimits } from '@noema/contracts/skills.ts'
import { UsageError } from '../exit-codes.ts'

/** The files of a skill's folder, and what was left out. */
export type SkillFolder = { files: { path: string; text: string }[]; skipped: string[] }

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const readText = async (file: string, path: string): Promise<string> => {
  const { size } = await lstat(file)
  if (size > skillLimits.fileBytes)
    throw new UsageError(`${path} has ${size} bytes; a file of a skill has at most ${skillLimits.fileBytes}.`)
  try {
    return decoder.decode(await readFile(file))
  } catch (error) {
    if (error instanceof TypeError)
      throw new UsageError(`${path} is not a text in UTF-8. A skill has only texts: move this file elsewhere.`)
    throw error
  }
}

const walk = async (root: string, folder: string, found: SkillFolder): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name)
    const path = relative(root, file).split(sep).join('/')
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    if (entry.isDirectory()) await walk(root, file, found)
    else if (entry.isFile()) {
      if (found.files.length === skillLimits.files)
        throw new UsageError(`A skill has at most ${skillLimits.files} files, and this folder has more.`)
      found.files.push({ path, text: await readText(file, path) })
    } else found.skipped.push(path)
  }
}

/** Reads the folder of a skill. Hidden files, node_modules and links are left out. */
export const readSkillFolder = async (folder: string): Promise<SkillFolder> => {
  const found: SkillFolder = { files: [], skipped: [] }
  const root = resolve(folder)
  await walk(root, root, found).catch((error: unknown) => {
    if (error instanceof UsageError || !(error instanceof Error) || !('code' in error)) throw error
    throw new UsageError(`${folder} cannot be read as a folder (${String(error.code)}).`)
  })
  if (!found.files.some(({ path }) => path === skillFile))
    throw new UsageError(`${folder} has no ${skillFile}, so it is not the folder of a skill.`)
  return found
}
