import { text } from 'node:stream/consumers'
import type { Client } from '@noema/sdk'
import { connectClient, createCommandClient, findConnection } from '../connection.ts'
import type { Context, GlobalOptions } from '../context.ts'
import { exitCodes, UsageError } from '../exit-codes.ts'
import { writeJson, writeLine } from '../output.ts'
import { readProfiles, writeProfiles } from '../profiles.ts'

type Caller = Awaited<ReturnType<Client['whoami']>>

const describeCaller = ({ kind, brain, organizations, capabilities }: Caller): string => {
  if (kind === 'brain') return `a key of the Brain ${brain?.handle} that may ${capabilities.join(', ')}`
  return `a management key of ${organizations.map(({ name }) => name).join(', ')}`
}

const askAddress = async (context: Context, options: GlobalOptions): Promise<string> => {
  const known = findConnection(context, options).baseUrl
  if (options.baseUrl || context.env.NOEMA_BASE_URL || !context.prompt) return known
  return (await context.prompt(`Address of the service (${known}): `))?.trim() || known
}

/** The key that the option names, that is piped in, or that is typed in without being shown. */
const readKey = async (context: Context, options: GlobalOptions): Promise<string> => {
  if (options.apiKey) return options.apiKey
  const typed = context.promptHidden
    ? await context.promptHidden('Key (nsk_… or nbk_…, not shown): ')
    : await text(context.stdin)
  const key = typed?.trim() || context.env.NOEMA_API_KEY
  if (key) return key
  throw new UsageError('No key was given: pipe it in, as in `noema keys mint | noema login`, or use --api-key.')
}

/** Checks an address and a key, and saves them as a profile, which then is the one that commands use. */
export const login = async (
  context: Context,
  address: string | undefined,
  options: GlobalOptions & { brain?: string },
): Promise<number> => {
  const given = { ...options, ...(address === undefined ? {} : { baseUrl: address }) }
  const name = options.profile ?? context.env.NOEMA_PROFILE ?? 'default'
  const { profile: _unused, ...rest } = given
  const baseUrl = (await askAddress(context, rest)).replace(/\/+$/, '')
  // Input is checked like an option.
  findConnection(context, { baseUrl, apiKey: 'unused' })
  const apiKey = await readKey(context, rest)
  const caller = await createCommandClient(context, { baseUrl, apiKey, json: options.json }).whoami({
    signal: context.signal,
  })
  const brain = options.brain ?? caller.brain?.handle
  const { profiles } = readProfiles(context.env)
  const saved = { ...profiles, [name]: { baseUrl, apiKey, ...(brain === undefined ? {} : { brain }) } }
  const file = writeProfiles(context.env, { current: name, profiles: saved })
  if (options.json) await writeJson(context.stdout, { profile: name, file, baseUrl, brain: brain ?? null, caller })
  else await writeLine(context.stderr, `Logged in to ${baseUrl} with ${describeCaller(caller)}. Saved in ${file}.`)
  return exitCodes.ok
}

/** Deletes a profile. The key continues to work until it is revoked. */
export const logout = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { current, profiles } = readProfiles(context.env)
  const name = options.profile ?? context.env.NOEMA_PROFILE ?? current
  if (!Object.hasOwn(profiles, name)) throw new UsageError(`There is no profile ${JSON.stringify(name)}.`)
  const { [name]: _gone, ...rest } = profiles
  writeProfiles(context.env, {
    current: name === current ? (Object.keys(rest)[0] ?? 'default') : current,
    profiles: rest,
  })
  const message = `Deleted the profile ${name}. Its key works until it is revoked.`
  await (options.json ? writeJson(context.stdout, { profile: name }) : writeLine(context.stderr, message))
  return exitCodes.ok
}

/** Says where commands go, and as whom. */
export const whoami = async (context: Context, options: GlobalOptions): Promise<number> => {
  const { baseUrl } = findConnection(context, options)
  const caller = await connectClient(context, options).whoami({ signal: context.signal })
  if (options.json) await writeJson(context.stdout, { baseUrl, ...caller })
  else await writeLine(context.stdout, `${baseUrl}: ${describeCaller(caller)}`)
  return exitCodes.ok
}
