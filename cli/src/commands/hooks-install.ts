import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { findByName, findPlace, readSettings, replaceFile } from '../client-files.ts'
import { connectClient, requireBrain, requireConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { type HookClient, hookClients } from '../hooks/hook-clients.ts'
import { addHooks, removeHooks } from '../hooks/hook-files.ts'
import { pluginMark } from '../hooks/opencode-plugin.ts'
import { findSpool } from '../hooks/spool.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { readProfiles, removeProfile, saveProfile } from '../profiles.ts'

// Installs our hooks in a coding agent, and removes them. The key of the hooks is in a profile of their own, so that the client's
// file has no secret in it.

export type HooksInstallOptions = GlobalOptions & { brain?: string; capture?: boolean; print?: boolean }

const toProfile = ({ name }: HookClient): string => `hooks-${name}`

/** The end of our commands, by which they are known. */
const toMark = (client: HookClient): string => `hook ${client.name} --profile ${toProfile(client)}`

const quote = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

const toCommand = ({ self }: Context, client: HookClient): string[] => [
  self.command,
  ...self.args,
  ...toMark(client).split(' '),
]

const toPlace = (client: Extract<HookClient, { form: unknown }>, file: string) => ({
  file,
  form: client.form,
  isOurs: (command: unknown) => typeof command === 'string' && command.endsWith(toMark(client)),
})

/** The text of a client's file with our hooks. */
const withHooks = (context: Context, client: HookClient, text: string, isCapturing: boolean): string => {
  const file = client.file(findPlace(context))
  const command = toCommand(context, client)
  if ('write' in client) {
    if (text !== '' && !text.startsWith(pluginMark)) throw new UsageError(`${file} is not a file of ours: rename it.`)
    return client.write(command, isCapturing)
  }
  const { context: adding, capture, entry } = client.form
  const events = [...adding, ...(isCapturing ? capture : [])]
  return addHooks(text, toPlace(client, file), { events, entry: entry(command.map(quote).join(' ')) })
}

/** The hooks' own key: one of the Brain alone that reads and writes; where we have no more than such a key ourselves, that one. */
const mintKey = async (context: Context, options: HooksInstallOptions, brain: string, client: HookClient) => {
  const { apiKey } = requireConnection(context, options)
  if (apiKey.startsWith('nbk_')) return apiKey
  const capabilities: ('read' | 'write')[] = options.capture === false ? ['read'] : ['read', 'write']
  const body = { name: `Hooks: ${client.title}`, capabilities }
  const { secret } = await connectClient(context, options).brain(brain).keys.mint(body, { signal: context.signal })
  if (secret === null) throw new Error('a key without an idempotency key is always new')
  return secret
}

/** Saves the profile of the hooks, unless it is there for the same Brain of the same service. */
const keepProfile = async (context: Context, options: HooksInstallOptions, client: HookClient): Promise<boolean> => {
  const brain = requireBrain(context, options)
  const { baseUrl } = requireConnection(context, options)
  const saved = readProfiles(context.env).profiles[toProfile(client)]
  if (saved && saved.baseUrl === baseUrl && saved.brain === brain) return false
  const apiKey = await mintKey(context, options, brain, client)
  saveProfile(context.env, toProfile(client), { baseUrl, apiKey, brain })
  return true
}

/** Adds our hooks to a coding agent's own file, or prints what would be added. */
export const installHooks = async (context: Context, name: string, options: HooksInstallOptions): Promise<number> => {
  const { stdout, stderr } = context
  const client = findByName(hookClients, name)
  const file = client.file(findPlace(context))
  const isCapturing = options.capture !== false
  if (options.print) {
    if (!options.json) await writeLine(stderr, `For ${client.title}, in ${file}:`)
    await writeText(stdout, withHooks(context, client, '', isCapturing))
    return exitCodes.ok
  }
  const text = await readSettings(file)
  // The file is checked before a key is minted.
  const changed = withHooks(context, client, text ?? '', isCapturing)
  const isNewKey = await keepProfile(context, options, client)
  const isChanged = changed !== text
  if (isChanged) await replaceFile(file, changed, { isThere: text !== undefined, isCopied: false })
  if (options.json) await writeJson(stdout, { client: client.name, file, changed: isChanged || isNewKey })
  else if (isChanged || isNewKey) {
    await writeLine(stderr, `Added hooks to ${file}.`)
    await writeLine(stderr, client.next)
  } else await writeLine(stderr, `${file} has the hooks already.`)
  return exitCodes.ok
}

/** The client's file without our hooks; undefined if nothing would be left in it. */
const withoutHooks = (client: HookClient, file: string, text: string): string | undefined => {
  if ('write' in client) return text.startsWith(pluginMark) ? undefined : text
  return removeHooks(text, toPlace(client, file))
}

/** Removes a file or a folder with all that it has, and its own folder if that is empty then. */
const removeFile = async (file: string): Promise<void> => {
  await rm(file, { recursive: true, force: true })
  await rmdir(dirname(file)).catch(() => undefined)
}

/** Removes our hooks, their key on this machine, and everything that waits to be sent. */
export const uninstallHooks = async (context: Context, name: string, options: GlobalOptions): Promise<number> => {
  const { stdout, stderr, env } = context
  const client = findByName(hookClients, name)
  const file = client.file(findPlace(context))
  const text = await readSettings(file)
  const left = text === undefined ? undefined : withoutHooks(client, file, text)
  if (text !== undefined && left === undefined) await removeFile(file)
  else if (left !== undefined && left !== text) await replaceFile(file, left, { isThere: true, isCopied: false })
  const profile = removeProfile(env, toProfile(client))
  const spool = findSpool(context, toProfile(client))
  if (spool) await removeFile(spool)
  const isChanged = text !== left || profile !== undefined
  if (options.json) await writeJson(stdout, { client: client.name, file, changed: isChanged })
  else if (!isChanged) await writeLine(stderr, `${file} has none of our hooks.`)
  else {
    await writeLine(stderr, `Removed the hooks from ${file}.`)
    if (profile)
      await writeLine(
        stderr,
        `Revoke the key "Hooks: ${client.title}" of the Brain ${profile.brain ?? ''}, if no one else uses it.`,
      )
  }
  return exitCodes.ok
}
