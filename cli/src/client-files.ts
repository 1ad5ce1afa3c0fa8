import { copyFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Context } from './context.ts'
import { UsageError } from './exit-codes.ts'

// The settings files of other programs: they are read whole, changed as data, and replaced atomically.

export type Settings = Record<string, unknown>

/** The surroundings that decide where a client keeps its files. */
export type ClientPlace = { home: string; cwd: string; platform: string; env: Context['env'] }

export const findPlace = ({ env, cwd }: Context): ClientPlace => {
  if (!env.HOME) throw new UsageError('There is no home folder: set HOME.')
  return { home: env.HOME, cwd, platform: process.platform, env }
}

/** The client of this name. Throws where it is not among those that are known. */
export const findByName = <Client extends { name: string }>(clients: readonly Client[], name: string): Client => {
  const found = clients.find((client) => client.name === name)
  if (found) return found
  throw new UsageError(
    `Unknown client ${JSON.stringify(name)}; known are ${clients.map((known) => known.name).join(', ')}.`,
  )
}

export const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a client's file; undefined where it has none yet. */
export const readSettings = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`${file} cannot be read: ${error.message}.`)
  })

/** A file's text as an object. Refuses one whose content a program could not write again without a loss. */
export const parseSettings = (file: string, text: string, byHand: string): Settings => {
  try {
    const settings: unknown = text.trim() === '' ? {} : JSON.parse(text)
    if (isSettings(settings)) return settings
  } catch {
    // Comments and trailing commas would be lost.
  }
  throw new UsageError(`${file} is not plain JSON (it may have comments): ${byHand}`)
}

/** A time that a file's name can have: 20260301T120000. */
const toStamp = (date: Date): string => date.toISOString().replaceAll(/[-:]|\.\d+Z/g, '')

/** Replaces a file atomically. A new one is readable by its owner alone. `isCopied`: keeps a copy of the old one next to it. */
export const replaceFile = async (
  file: string,
  text: string,
  { isThere, isCopied }: { isThere: boolean; isCopied: boolean },
): Promise<string | undefined> => {
  await mkdir(dirname(file), { recursive: true })
  const backup = isThere && isCopied ? `${file}.backup-${toStamp(new Date())}` : undefined
  if (backup !== undefined) await copyFile(file, backup)
  const mode = isThere ? (await stat(file)).mode & 0o777 : 0o600
  const partial = `${file}.${process.pid}.part`
  await writeFile(partial, text, { mode })
  await rename(partial, file)
  return backup
}
