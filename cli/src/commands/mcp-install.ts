import { copyFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toClientKeyName } from '@noema/contracts/ai-clients.ts'
import { connectClient, requireBrain, requireConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { parseCapabilities } from './brain-keys.ts'
import { type McpClient, mcpClients, type ServerCommand } from './mcp-clients.ts'
import { addServer } from './mcp-settings.ts'

export type InstallOptions = GlobalOptions & {
  brain?: string
  name: string
  capabilities?: string
  print?: boolean
}

const findClient = (name: string): McpClient => {
  const found = mcpClients.find((client) => client.name === name)
  if (found) return found
  throw new UsageError(
    `Unknown client ${JSON.stringify(name)}; known are ${mcpClients.map((known) => known.name).join(', ')}.`,
  )
}

const findFile = ({ env, cwd }: Context, client: McpClient): string => {
  if (!env.HOME) throw new UsageError('There is no home folder: set HOME.')
  return client.file({ home: env.HOME, cwd, platform: process.platform, env })
}

/** The text of a client's file; undefined where it has none yet. */
const readSettings = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new UsageError(`${file} cannot be read: ${error.message}.`)
  })

const toServer = ({ self }: Context, brain: string, baseUrl: string, key: string): ServerCommand => ({
  command: self.command,
  args: [...self.args, 'mcp', '--brain', brain],
  env: { NOEMA_BASE_URL: baseUrl, NOEMA_API_KEY: key },
})

/** The key for the client: one of the Brain alone, made for it; where we have no more than such a key ourselves, that one. */
const mintKey = async (context: Context, options: InstallOptions, brain: string, title: string): Promise<string> => {
  const { apiKey } = requireConnection(context, options)
  if (apiKey.startsWith('nbk_')) return apiKey
  const body = { name: toClientKeyName(title), capabilities: parseCapabilities(options.capabilities ?? 'read') }
  const { secret } = await connectClient(context, options).brain(brain).keys.mint(body, { signal: context.signal })
  if (secret === null) throw new Error('a key without an idempotency key is always new')
  return secret
}

/** A time that a file's name can have: 20260301T120000. */
const toStamp = (date: Date): string => date.toISOString().replaceAll(/[-:]|\.\d+Z/g, '')

/**
 * Replaces a file atomically, with a copy of the old one next to it. It contains a key, so only the owner can read a new
 * one.
 */
const replaceFile = async (file: string, text: string, isThere: boolean): Promise<string | undefined> => {
  await mkdir(dirname(file), { recursive: true })
  const backup = isThere ? `${file}.backup-${toStamp(new Date())}` : undefined
  if (backup !== undefined) await copyFile(file, backup)
  const mode = isThere ? (await stat(file)).mode & 0o777 : 0o600
  const partial = `${file}.${process.pid}.part`
  await writeFile(partial, text, { mode })
  await rename(partial, file)
  return backup
}

/** Adds a Brain to an AI client's own list of servers, or prints what would be added. */
export const installMcp = async (context: Context, name: string, options: InstallOptions): Promise<number> => {
  const { stdout, stderr } = context
  const client = findClient(name)
  const file = findFile(context, client)
  const brain = requireBrain(context, options)
  const { baseUrl } = requireConnection(context, options)
  const add = (text: string, secret: string) =>
    addServer(text, { file, client, name: options.name, server: toServer(context, brain, baseUrl, secret) })
  if (options.print) {
    const shown = add('', 'nbk_…')
    if (!options.json) await writeLine(stderr, `For ${client.title}, in ${file}:`)
    await writeText(stdout, options.json && client.format === 'json' ? `${JSON.stringify(JSON.parse(shown))}\n` : shown)
    return exitCodes.ok
  }
  const settings = await readSettings(file)
  // The file is checked before a key is minted for it.
  add(settings ?? '', '')
  const key = await mintKey(context, options, brain, client.title)
  const backup = await replaceFile(file, add(settings ?? '', key), settings !== undefined)
  if (options.json) {
    await writeJson(stdout, { client: client.name, file, backup: backup ?? null })
    return exitCodes.ok
  }
  await writeLine(stderr, `Added "${options.name}" to ${file}.${backup ? ` The old file is ${backup}.` : ''}`)
  await writeLine(stderr, client.next)
  return exitCodes.ok
}
