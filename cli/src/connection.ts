import { type Client, createClient } from '@noema/sdk'
import type { Context, GlobalOptions } from './context.ts'
import { MissingKeyError, UsageError } from './exit-codes.ts'
import { writeLine } from './output.ts'
import { findProfile, type Profile, readProfiles } from './profiles.ts'

/** The service of a command, its key, and its Brain. */
type Connection = { baseUrl: string; apiKey: string | undefined; brain: string | undefined }

/** The default address of a service on this machine: with the port of a local .env. */
const toDefaultUrl = ({ NOEMA_PORT: port }: Context['env']): string => `http://127.0.0.1:${port || 4100}`

/** The profile that the command names, and the default one: the environment has a priority between the two. */
const findProfiles = ({ env }: Context, options: GlobalOptions): { named?: Profile; saved?: Profile } => {
  if (options.profile !== undefined) return { named: findProfile(env, options.profile) }
  if (env.NOEMA_PROFILE) return { saved: findProfile(env, env.NOEMA_PROFILE) }
  // A command with all options needs no file, and ignores a broken one.
  if ((options.apiKey || env.NOEMA_API_KEY) && (options.baseUrl || env.NOEMA_BASE_URL)) return {}
  const { current, profiles } = readProfiles(env)
  return profiles[current] ? { saved: profiles[current] } : {}
}

export const sameAddress = (one: string, another: string): boolean =>
  one.replace(/\/+$/, '') === another.replace(/\/+$/, '')

/**
 * Options of the command win, then the profile that it names, then the environment, then the saved profile. The key of a
 * profile goes to the address of that profile alone.
 */
export const findConnection = (context: Context, options: GlobalOptions): Connection => {
  const { env } = context
  const { named, saved } = findProfiles(context, options)
  const baseUrl = options.baseUrl || named?.baseUrl || env.NOEMA_BASE_URL || saved?.baseUrl || toDefaultUrl(env)
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl))
    throw new UsageError(`${JSON.stringify(baseUrl)} is no http or https address: see --base-url and NOEMA_BASE_URL.`)
  const keyed = (profile: Profile | undefined) =>
    profile && sameAddress(profile.baseUrl, baseUrl) ? profile.apiKey : undefined
  return {
    baseUrl,
    apiKey: options.apiKey || keyed(named) || env.NOEMA_API_KEY || keyed(saved),
    brain: named?.brain ?? env.NOEMA_BRAIN ?? saved?.brain,
  }
}

/** Makes a client of an address and a key. */
export const createCommandClient = (
  context: Context,
  { baseUrl, apiKey, json }: { baseUrl: string; apiKey: string; json?: boolean | undefined },
): Client => {
  const warn = (message: string, { reason }: Record<string, unknown>) => {
    if (!json) void writeLine(context.stderr, `noema: ${message} (${String(reason)})`).catch(() => undefined)
  }
  return createClient({ baseUrl, apiKey, timing: context.timing, logger: { debug: () => undefined, warn } })
}

/** Finds the service of a command and its key. Throws `MissingKeyError` without one. */
export const requireConnection = (context: Context, options: GlobalOptions): Connection & { apiKey: string } => {
  const { apiKey, ...rest } = findConnection(context, options)
  if (apiKey) return { ...rest, apiKey }
  throw new MissingKeyError('No API key: run `noema login`, or set NOEMA_API_KEY or run `noema keys mint`.')
}

/** Makes the client of a command. Throws `MissingKeyError` without a key. */
export const connectClient = (context: Context, options: GlobalOptions): Client =>
  createCommandClient(context, { ...requireConnection(context, options), json: options.json })

/** The Brain that a command means: its option, else NOEMA_BRAIN, else the one of the profile. */
export const requireBrain = (context: Context, options: GlobalOptions & { brain?: string }): string => {
  const brain = options.brain || findConnection(context, options).brain
  if (brain) return brain
  throw new UsageError('Which Brain? Name it with --brain <handle>, or set NOEMA_BRAIN.')
}

/** The methods of the Brain that a command means. */
export const connectBrain = (context: Context, options: GlobalOptions & { brain?: string }) => {
  const client = connectClient(context, options)
  const handle = requireBrain(context, options)
  return { client, handle, brain: client.brain(handle) }
}
