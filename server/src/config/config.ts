import { readFileSync } from 'node:fs'
import { isLoopback, parseAllowed } from '../shared/outbound/targets.ts'
import type { TracerSettings } from '../shared/tracing/tracer.ts'
import { readAccounts } from './accounts.ts'
import { readAddresses } from './addresses.ts'
import { readAgents } from './agents.ts'
import { readWalArchive, type WalArchive } from './archive.ts'
import { readArtifacts } from './artifacts.ts'
import { readConcurrency } from './concurrency.ts'
import { readDatabase } from './database.ts'
import { readDelivery } from './delivery.ts'
import { readExtraction } from './extraction.ts'
import { readLimits } from './limits.ts'
import { addOldTiers, oldTierSettings } from './old-tiers.ts'
import { readSearch } from './search.ts'
import { readServer } from './server.ts'
import { BadSetting, takesFile, type ValuesOf } from './setting.ts'
import { settings } from './settings.ts'
import { readSignIn, type SignInConfig } from './sign-in.ts'
import { readTiers } from './tiers.ts'
import { readTraces } from './traces.ts'
import { readWebPageLimits, readWebPages } from './web-pages.ts'

type Name = keyof typeof settings
type Environment = Readonly<Record<string, string | undefined>>

/** Limits on callers and organizations. */
export interface Limits
  extends ReturnType<typeof readLimits>,
    ReturnType<typeof readWebPageLimits>,
    Pick<ReturnType<typeof readTiers>, 'caps' | 'rates' | 'receiptsByTier' | 'modelBudgets'> {}

/** The settings after reading, by subject. */
export interface Config
  extends ReturnType<typeof readServer>,
    ReturnType<typeof readAddresses>,
    ReturnType<typeof readDatabase>,
    Omit<ReturnType<typeof readAccounts>, 'verifiedOrganizations'>,
    ReturnType<typeof readDelivery>,
    ReturnType<typeof readSearch>,
    ReturnType<typeof readArtifacts>,
    ReturnType<typeof readExtraction>,
    ReturnType<typeof readWebPages>,
    ReturnType<typeof readAgents>,
    ReturnType<typeof readConcurrency> {
  walArchive: WalArchive | undefined
  signIn: SignInConfig
  /** Organizations that an account may own, before and after its address is confirmed. */
  maxOrganizations: { unverified: number; verified: number }
  limits: Limits
  /** The destination and selection of traces; undefined if they are off. */
  traces: TracerSettings | undefined
}

const readText = (env: Environment, name: Name): string | undefined => {
  const file = takesFile(settings[name]) ? env[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return env[name] === '' ? undefined : env[name]
  if (env[name]) throw new BadSetting(`${name} and ${name}_FILE are both set; keep one of them.`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new BadSetting(`${name}_FILE names ${file}, which cannot be read.`)
  }
}

const readValue = (env: Environment, name: Name): unknown => {
  const parsed = settings[name].schema.safeParse(readText(env, name))
  if (parsed.success) return parsed.data
  const reasons = parsed.error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))
  throw new BadSetting(`${name} is not usable: ${reasons.join('; ')}.`)
}

// The SDK and the CLI read these, often in the same environment.
const clientSettings = new Set(['NOEMA_BASE_URL', 'NOEMA_API_KEY', 'NOEMA_PROFILE', 'NOEMA_BRAIN', 'NOEMA_CONFIG_DIR'])

/** Names in the environment that look like settings of this service but are not. */
export const unknownSettings = (env: Environment): string[] =>
  Object.keys(env).filter((name) => {
    if (!name.startsWith('NOEMA_') || Object.hasOwn(settings, name) || oldTierSettings.has(name)) return false
    const base = name.replace(/_FILE$/, '')
    return !(Object.hasOwn(settings, base) && takesFile(settings[base as Name])) && !clientSettings.has(name)
  })

/** Deprecated settings in the environment, and the setting to write instead; undefined if there are none. */
export const findDeprecated = (env: Environment): { names: string[]; instead: string } | undefined => {
  const names = Object.keys(env).filter((name) => oldTierSettings.has(name) && env[name])
  if (names.length === 0) return undefined
  const given = settings.NOEMA_TIERS.schema.parse(readText(env, 'NOEMA_TIERS'))
  return { names, instead: `NOEMA_TIERS='${JSON.stringify(addOldTiers(given, env))}'` }
}

const allowLists = ['NOEMA_WEBHOOK_ALLOW', 'NOEMA_PROVIDER_ALLOW', 'NOEMA_CONNECTOR_ALLOW', 'NOEMA_WEB_ALLOW'] as const

/** The entries of allow-lists through which every organization reaches this machine itself, each as `setting: entry`. */
export const findLoopback = (env: Environment): string[] =>
  allowLists.flatMap((name) =>
    (env[name] ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter((text) => {
        const allowed = parseAllowed(text)
        return allowed !== undefined && isLoopback(allowed)
      })
      .map((text) => `${name}: ${text}`),
  )

/** Reads and checks the environment. Throws BadSetting with one line that names the setting. */
export const readConfig = (env: Environment, cwd: string): Config => {
  const values = Object.fromEntries(
    (Object.keys(settings) as Name[]).map((name) => [name, readValue(env, name)]),
  ) as ValuesOf<typeof settings>
  const database = readDatabase(values, cwd)
  const { unverifiedOrganizations, ...tiers } = readTiers(values, addOldTiers(values.NOEMA_TIERS, env))
  const { verifiedOrganizations, ...accounts } = readAccounts(values)
  return {
    ...readServer(values),
    ...readAddresses(values),
    ...database,
    walArchive: readWalArchive(values, { cwd, databaseUrl: values.NOEMA_DATABASE_URL }),
    ...accounts,
    maxOrganizations: { unverified: unverifiedOrganizations, verified: verifiedOrganizations },
    signIn: readSignIn(values),
    ...readDelivery(values),
    ...readSearch(values),
    ...readArtifacts(values),
    ...readExtraction(values),
    ...readWebPages(values),
    ...readAgents(values),
    ...readConcurrency(values, database),
    limits: { ...readLimits(values), ...readWebPageLimits(values), ...tiers },
    traces: readTraces(values),
  }
}
