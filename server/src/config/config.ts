import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import type { z } from 'zod'
import type { ShareLimits } from '../shared/concurrency/fair-limiter.ts'
import type { CallLimits } from '../shared/outbound/call-places.ts'
import type { TracerSettings } from '../shared/tracing/tracer.ts'
import { type AgentConfig, readAgentConfig } from './agent-config.ts'
import { readWalArchive, type WalArchive } from './archive-config.ts'
import { type DatabaseConfig, readDatabaseConfig } from './database-config.ts'
import { settings } from './settings.ts'
import { readSignIn, type SignInConfig } from './sign-in-config.ts'
import { readTraces } from './trace-config.ts'

type Name = keyof typeof settings
export type Values = { [N in Name]: z.output<(typeof settings)[N]['schema']> }

const MiB = 1024 * 1024

/** How much an organization of one tier may keep and write; undefined is without end. */
export type Caps = { brains: number; dailyWrites: number; dailyBytes: number; dailyRuns: number } | undefined

/** What settings that stand in files of their own say. */
type ConfigOfFiles = AgentConfig & DatabaseConfig

export type Config = ConfigOfFiles & {
  port: number
  host: string
  publicUrl: string | undefined
  appOrigin: string | undefined
  trustedOrigins: readonly string[]
  corsAny: boolean
  /** Addresses and networks of the reverse proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  dataDir: string | undefined
  /** Where the built-in database archives its write-ahead log. */
  walArchive: WalArchive | undefined
  /** The most calls that may wait for one Brain. */
  waitingPerBrain: number
  maxKeys: number
  maxSchemas: number
  transferLimits: { maxMinutes: number; maxLineSeconds: number }
  secret: string | undefined
  adminEmails: readonly string[]
  /** How people sign in. */
  signIn: SignInConfig
  /** How many organizations an account may own, before and after its address is confirmed. */
  maxOrganizations: { unverified: number; verified: number }
  /** How many invitations an account may send a day. */
  maxDailyInvitations: number
  /** How many mails of one kind an address gets in an hour. */
  maxHourlyMail: number
  bootstrap: { email: string; password: string } | undefined
  smtpUrl: string | undefined
  mailFrom: string
  webhookAllow: readonly string[]
  webhookPorts: readonly number[]
  roles: readonly ('http' | 'worker')[]
  /** How long a node that was told to end goes on answering, so that proxies can turn away from it. */
  drainSeconds: number
  logLevel: string
  /** Where the metrics are read: on a port of their own, by a token, or nowhere. */
  metrics: { port: number | undefined; token: string | undefined }
  /** Where traces are sent, and which; undefined is nowhere. */
  traces: TracerSettings | undefined
  /** In bytes. */
  searchMemory: number
  receiptDays: number | undefined
  maxReceipts: number
  maxWebhooks: { brain: number; organization: number }
  runDays: number
  /** What texts are embedded by. */
  embeddings: 'off' | 'local' | { local: string } | { url: string; model: string; apiKey: string | undefined }
  /** What reranks the results of search; undefined is nothing. */
  rerank: { url: string; model: string | undefined; apiKey: string | undefined; milliseconds: number } | undefined
  vectorMemory: number
  /** Passages from which a Brain's vectors are indexed by pgvector; undefined is never. */
  pgvectorFrom: number | undefined
  /** How many requests callers may send: of one key by tier, together, and by address. Staff has no limit. */
  rates: Record<'unverified' | 'free' | 'business' | 'enterprise' | 'address' | 'failures', Rate> & {
    staff: undefined
    organizationFactor: number
  }
  /** Requests worked on at once, and how long others wait for a place. */
  maxRequests: ShareLimits
  maxWaitMilliseconds: number
  /** Runs of agents that are worked on at once. */
  runs: { node: number; organization: number }
  /** What may be open at once. */
  open: { streams: ShareLimits; transfers: ShareLimits; bodies: ShareLimits; tests: ShareLimits }
  /** Calls to webhooks under way at once. */
  calls: CallLimits
  caps: { unverified: Caps; free: Caps; business: Caps; enterprise: Caps; staff: Caps }
}

/** So many requests a second in the long run, and so many at once. */
type Rate = { perSecond: number; burst: number }

/** A setting that the service cannot start with, told in one line. */
export class BadSetting extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

const isSecret = (name: Name): boolean => 'secret' in settings[name]

const rawValue = (env: Environment, name: Name): string | undefined => {
  const file = isSecret(name) ? env[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return env[name] === '' ? undefined : env[name]
  if (env[name]) throw new BadSetting(`${name} and ${name}_FILE are both set; keep one of them.`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    throw new BadSetting(`${name}_FILE names ${file}, which cannot be read.`)
  }
}

const readValue = (env: Environment, name: Name): unknown => {
  const parsed = settings[name].schema.safeParse(rawValue(env, name))
  if (parsed.success) return parsed.data
  throw new BadSetting(`${name} is not usable: ${parsed.error.issues.map((issue) => issue.message).join('; ')}.`)
}

/** Names in the environment that look like settings of this service and are none. */
export const unknownSettings = (env: Environment): string[] =>
  Object.keys(env).filter((name) => {
    if (!name.startsWith('NOEMA_') || Object.hasOwn(settings, name)) return false
    const base = name.replace(/_FILE$/, '')
    return !(Object.hasOwn(settings, base) && isSecret(base as Name)) && !clientSettings.has(name)
  })

// Read by the SDK and the CLI, which often share an environment with the service.
const clientSettings = new Set(['NOEMA_BASE_URL', 'NOEMA_API_KEY', 'NOEMA_PROFILE', 'NOEMA_BRAIN', 'NOEMA_CONFIG_DIR'])

const readBootstrap = (values: Values): Config['bootstrap'] => {
  const { NOEMA_BOOTSTRAP_EMAIL: email, NOEMA_BOOTSTRAP_PASSWORD: password } = values
  if (email === undefined && password === undefined) return undefined
  if (email === undefined) throw new BadSetting('NOEMA_BOOTSTRAP_PASSWORD is set without NOEMA_BOOTSTRAP_EMAIL.')
  if (password === undefined) throw new BadSetting('NOEMA_BOOTSTRAP_EMAIL is set without NOEMA_BOOTSTRAP_PASSWORD.')
  return { email, password }
}

const toBytes = ({ node, organization, key }: ShareLimits): ShareLimits => {
  const MiB = 1024 * 1024
  return { node: node * MiB, organization: organization * MiB, key: key * MiB }
}

const readRates = (values: Values): Config['rates'] => ({
  unverified: values.NOEMA_UNVERIFIED_RATE,
  free: values.NOEMA_FREE_RATE,
  business: values.NOEMA_BUSINESS_RATE,
  enterprise: values.NOEMA_ENTERPRISE_RATE,
  staff: undefined,
  address: values.NOEMA_ADDRESS_RATE,
  failures: values.NOEMA_FAILURE_RATE,
  organizationFactor: values.NOEMA_ORGANIZATION_RATE_FACTOR,
})

const readEmbeddings = (values: Values): Config['embeddings'] => {
  const { NOEMA_EMBEDDINGS_URL: url, NOEMA_EMBEDDINGS_MODEL: model, NOEMA_EMBEDDINGS_API_KEY: apiKey } = values
  const local = values.NOEMA_EMBEDDING_MODEL
  if (values.NOEMA_EMBEDDINGS === 'off') return 'off'
  if (url && local) throw new BadSetting('Set one of NOEMA_EMBEDDING_MODEL and NOEMA_EMBEDDINGS_URL, not both.')
  if (url !== undefined && model !== undefined) return { url: url.replace(/\/+$/, ''), model, apiKey }
  if (url !== undefined) throw new BadSetting('NOEMA_EMBEDDINGS_URL is set without NOEMA_EMBEDDINGS_MODEL.')
  if (model !== undefined)
    throw new BadSetting('NOEMA_EMBEDDINGS_MODEL is of NOEMA_EMBEDDINGS_URL; a model here is NOEMA_EMBEDDING_MODEL.')
  return local === undefined ? 'local' : { local }
}

const readRerank = (values: Values): Config['rerank'] => {
  const { NOEMA_RERANK_URL: url, NOEMA_RERANK_MODEL: model, NOEMA_RERANK_API_KEY: apiKey } = values
  if (url === undefined && model !== undefined)
    throw new BadSetting('NOEMA_RERANK_MODEL is set without NOEMA_RERANK_URL.')
  return url === undefined
    ? undefined
    : { url: url.replace(/\/+$/, ''), model, apiKey, milliseconds: values.NOEMA_RERANK_MILLISECONDS }
}

/** What transfers may have: each keeps a database connection, and half of them are left to everything else. */
const leaveConnections = (limits: ShareLimits, { databasePool }: DatabaseConfig): ShareLimits => ({
  ...limits,
  node: Math.min(limits.node, Math.floor(databasePool / 2)),
})

/** What each tier may keep and write. */
const readCaps = (values: Values): Config['caps'] => ({
  unverified: {
    brains: values.NOEMA_UNVERIFIED_BRAINS,
    dailyWrites: values.NOEMA_UNVERIFIED_DAILY_WRITES,
    dailyBytes: values.NOEMA_UNVERIFIED_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_UNVERIFIED_DAILY_RUNS,
  },
  free: {
    brains: values.NOEMA_FREE_BRAINS,
    dailyWrites: values.NOEMA_FREE_DAILY_WRITES,
    dailyBytes: values.NOEMA_FREE_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_FREE_DAILY_RUNS,
  },
  business: {
    brains: values.NOEMA_BUSINESS_BRAINS,
    dailyWrites: values.NOEMA_BUSINESS_DAILY_WRITES,
    dailyBytes: values.NOEMA_BUSINESS_DAILY_MEGABYTES * MiB,
    dailyRuns: values.NOEMA_BUSINESS_DAILY_RUNS,
  },
  enterprise: undefined,
  staff: undefined,
})

/** Reads and checks the environment. Throws BadSetting with one line that names the setting. */
export const readConfig = (env: Environment, cwd: string): Config => {
  const values = Object.fromEntries(
    (Object.keys(settings) as Name[]).map((name) => [name, readValue(env, name)]),
  ) as Values
  const database = readDatabaseConfig(values, (reason) => new BadSetting(reason))
  return {
    port: values.NOEMA_PORT,
    host: values.NOEMA_HOST,
    publicUrl: values.NOEMA_PUBLIC_URL?.replace(/\/+$/, ''),
    appOrigin: values.NOEMA_APP_ORIGIN,
    trustedOrigins: values.NOEMA_TRUSTED_ORIGINS,
    corsAny: values.NOEMA_CORS_ANY,
    trustedProxies: values.NOEMA_TRUSTED_PROXIES,
    dataDir: values.NOEMA_DATA_DIR === undefined ? undefined : resolve(cwd, values.NOEMA_DATA_DIR),
    walArchive: readWalArchive(values, cwd, (reason) => new BadSetting(reason)),
    ...database,
    waitingPerBrain: values.NOEMA_MAX_WAITING,
    ...{ maxKeys: values.NOEMA_MAX_KEYS, maxSchemas: values.NOEMA_MAX_SCHEMAS },
    transferLimits: { maxMinutes: values.NOEMA_TRANSFER_MINUTES, maxLineSeconds: values.NOEMA_IMPORT_LINE_SECONDS },
    secret: values.NOEMA_SECRET,
    adminEmails: values.NOEMA_ADMIN_EMAILS,
    signIn: readSignIn(values, (reason) => new BadSetting(reason)),
    maxOrganizations: { unverified: values.NOEMA_UNVERIFIED_ORGANIZATIONS, verified: values.NOEMA_ORGANIZATIONS },
    maxDailyInvitations: values.NOEMA_DAILY_INVITATIONS,
    maxHourlyMail: values.NOEMA_HOURLY_MAIL,
    bootstrap: readBootstrap(values),
    smtpUrl: values.NOEMA_SMTP_URL,
    mailFrom: values.NOEMA_MAIL_FROM,
    webhookAllow: values.NOEMA_WEBHOOK_ALLOW,
    webhookPorts: values.NOEMA_WEBHOOK_PORTS,
    ...{ roles: values.NOEMA_ROLES, drainSeconds: values.NOEMA_DRAIN_SECONDS },
    logLevel: values.NOEMA_LOG_LEVEL,
    metrics: { port: values.NOEMA_METRICS_PORT, token: values.NOEMA_METRICS_TOKEN },
    ...{ traces: readTraces(values), searchMemory: values.NOEMA_SEARCH_MEMORY * MiB },
    maxWebhooks: { brain: values.NOEMA_MAX_BRAIN_WEBHOOKS, organization: values.NOEMA_MAX_ORGANIZATION_WEBHOOKS },
    maxReceipts: values.NOEMA_MAX_RECEIPTS,
    ...{ receiptDays: values.NOEMA_RECEIPT_DAYS, runDays: values.NOEMA_RUN_DAYS },
    embeddings: readEmbeddings(values),
    rerank: readRerank(values),
    vectorMemory: values.NOEMA_VECTOR_MEMORY * 1024 * 1024,
    pgvectorFrom: values.NOEMA_VECTOR_INDEX === 'pgvector' ? values.NOEMA_VECTOR_INDEX_FROM : undefined,
    rates: readRates(values),
    maxRequests: values.NOEMA_MAX_REQUESTS,
    maxWaitMilliseconds: values.NOEMA_MAX_WAIT,
    runs: values.NOEMA_MAX_RUNS,
    open: {
      streams: values.NOEMA_MAX_STREAMS,
      transfers: leaveConnections(values.NOEMA_MAX_TRANSFERS, database),
      bodies: toBytes(values.NOEMA_MAX_BODIES),
      tests: values.NOEMA_MAX_WEBHOOK_TESTS,
    },
    calls: values.NOEMA_MAX_CALLS,
    ...readAgentConfig(values),
    caps: readCaps(values),
  }
}

/** The address that the service answers at, for links and messages: a name that opens in a browser, never 0.0.0.0. */
export const reachableUrl = (config: Config, port: number): string => {
  if (config.publicUrl) return config.publicUrl
  const everywhere = config.host === '0.0.0.0' || config.host === '::'
  const host = everywhere ? '127.0.0.1' : config.host
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}
