import { rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Capability } from '@noema/contracts/access.ts'
import { findByName, findPlace, readSettings, replaceFile } from '../client-files.ts'
import { mintClientKey } from '../client-keys.ts'
import { connectClient, findConnection, requireBrain, requireConnection, sameAddress } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { type HookClient, hookClients } from '../hooks/hook-clients.ts'
import { addHooks, removeHooks } from '../hooks/hook-files.ts'
import { pluginMark } from '../hooks/opencode-plugin.ts'
import { findSpool } from '../hooks/spool.ts'
import { writeJson, writeLine, writeText } from '../output.ts'
import { type Profile, readProfiles, removeProfile, saveProfile } from '../profiles.ts'
import { quoteWord } from '../quote-shell.ts'

// Installs our hooks in a coding agent, and removes them. The key of the hooks is in a profile of their own, so that the client's
// file has no secret in it.

export type HooksInstallOptions = GlobalOptions & { brain?: string; capture?: boolean; print?: boolean }

const toProfile = ({ name }: HookClient): string => `hooks-${name}`

const toKeyName = ({ title }: HookClient): string => `Hooks: ${title}`

/** The end of our commands, by which they are known. */
const toMark = (client: HookClient): string => `hook ${client.name} --profile ${toProfile(client)}`

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
  return addHooks(text, toPlace(client, file), { events, entry: entry(command.map(quoteWord).join(' ')) })
}

/** Saves the profile of the hooks, unless it is there for the same Brain of the same service. */
const keepProfile = async (context: Context, options: HooksInstallOptions, client: HookClient): Promise<boolean> => {
  const brain = requireBrain(context, options)
  const { baseUrl } = requireConnection(context, options)
  const saved = readProfiles(context.env).profiles[toProfile(client)]
  if (saved && saved.baseUrl === baseUrl && saved.brain === brain) return false
  const capabilities: Capability[] = options.capture === false ? ['read'] : ['read', 'write']
  const key = await mintClientKey(context, options, { brain, name: toKeyName(client), capabilities })
  saveProfile(context.env, toProfile(client), { baseUrl, apiKey: key.secret, brain, keyId: key.id })
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

/** Revokes the key of the hooks, and says so; where it may not, it says what is left to do. */
const revokeKey = async (
  context: Context,
  options: GlobalOptions,
  client: HookClient,
  { baseUrl, brain, keyId }: Profile,
): Promise<string | undefined> => {
  // Without an id, the hooks shared a key, which stays its owner's.
  if (keyId === undefined || brain === undefined) return undefined
  const key = `the key "${toKeyName(client)}" (${keyId}) of the Brain ${brain}`
  const left = `Revoke ${key} at ${baseUrl}: it is still valid.`
  // Credentials for one service are not sent to another.
  if (!sameAddress(findConnection(context, options).baseUrl, baseUrl)) return left
  try {
    await connectClient(context, options).brain(brain).keys.revoke(keyId, { signal: context.signal })
    return `Revoked ${key}.`
  } catch {
    return left
  }
}

/** Removes our hooks, their key, and everything that waits to be sent. */
export const uninstallHooks = async (context: Context, name: string, options: GlobalOptions): Promise<number> => {
  const { stdout, stderr, env } = context
  const client = findByName(hookClients, name)
  const file = client.file(findPlace(context))
  const text = await readSettings(file)
  const left = text === undefined ? undefined : withoutHooks(client, file, text)
  if (text !== undefined && left === undefined) await removeFile(file)
  else if (left !== undefined && left !== text) await replaceFile(file, left, { isThere: true, isCopied: false })
  const profile = removeProfile(env, toProfile(client))
  const revoked = profile && (await revokeKey(context, options, client, profile))
  const spool = findSpool(context, toProfile(client))
  if (spool) await removeFile(spool)
  const isChanged = text !== left || profile !== undefined
  if (options.json) await writeJson(stdout, { client: client.name, file, changed: isChanged })
  else if (!isChanged) await writeLine(stderr, `${file} has none of our hooks.`)
  else {
    await writeLine(stderr, `Removed the hooks from ${file}.`)
    if (revoked) await writeLine(stderr, revoked)
  }
  return exitCodes.ok
}
