import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from './exit-codes.ts'

/** A service and its key, as `noema login` stores them. `keyId` is that of a key which was minted for the profile. */
export type Profile = { baseUrl: string; apiKey: string; brain?: string | undefined; keyId?: string | undefined }

type Profiles = { current: string; profiles: Record<string, Profile> }

type Environment = Readonly<Record<string, string | undefined>>

/** The file of profiles; undefined without a home folder. */
const findProfilesFile = (env: Environment): string | undefined => {
  const base = env.NOEMA_CONFIG_DIR || (env.XDG_CONFIG_HOME && join(env.XDG_CONFIG_HOME, 'noema'))
  const folder = base || (env.HOME && join(env.HOME, '.config', 'noema'))
  return folder ? join(folder, 'profiles.json') : undefined
}

const isProfile = (value: unknown): value is Profile =>
  typeof value === 'object' &&
  value !== null &&
  'baseUrl' in value &&
  typeof value.baseUrl === 'string' &&
  'apiKey' in value &&
  typeof value.apiKey === 'string'

const parseProfiles = (text: string, file: string): Profiles => {
  try {
    const given: { current?: unknown; profiles?: Record<string, unknown> } = JSON.parse(text)
    const profiles = Object.entries(given.profiles ?? {}).filter((entry): entry is [string, Profile] =>
      isProfile(entry[1]),
    )
    return { current: String(given.current ?? 'default'), profiles: Object.fromEntries(profiles) }
  } catch {
    throw new UsageError(`${file} is not JSON. Repair it, or delete it and log in again.`)
  }
}

/** Every saved profile. */
export const readProfiles = (env: Environment): Profiles => {
  const file = findProfilesFile(env)
  if (file === undefined) return { current: 'default', profiles: {} }
  try {
    return parseProfiles(readFileSync(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return { current: 'default', profiles: {} }
    throw error
  }
}

/** Keeps profiles in a file that only their owner can read: they hold keys. Gives its path. */
export const writeProfiles = (env: Environment, profiles: Profiles): string => {
  const file = findProfilesFile(env)
  if (file === undefined) throw new UsageError('There is no home folder to save a profile in: set NOEMA_CONFIG_DIR.')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const partial = `${file}.${process.pid}.part`
  writeFileSync(partial, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 })
  chmodSync(partial, 0o600)
  renameSync(partial, file)
  return file
}

/** The profile of this name. Throws where there is none. */
export const findProfile = (env: Environment, name: string): Profile => {
  const { profiles } = readProfiles(env)
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (found) return found
  const known = Object.keys(profiles)
  throw new UsageError(
    `There is no profile ${JSON.stringify(name)}${known.length > 0 ? `; there are ${known.join(', ')}` : ''}. Make it with \`noema login --profile ${name}\`.`,
  )
}

/** Saves a profile next to the others; the current one stays. */
export const saveProfile = (env: Environment, name: string, profile: Profile): string => {
  const { current, profiles } = readProfiles(env)
  return writeProfiles(env, { current, profiles: { ...profiles, [name]: profile } })
}

/** Removes a profile, if it is there, and gives it back. */
export const removeProfile = (env: Environment, name: string): Profile | undefined => {
  const { current, profiles } = readProfiles(env)
  const { [name]: removed, ...others } = profiles
  const file = findProfilesFile(env)
  if (removed && file && Object.keys(others).length === 0) rmSync(file)
  else if (removed) writeProfiles(env, { current, profiles: others })
  return removed
}
