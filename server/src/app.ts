import { createKeyAuthentication, type KeyAuthentication } from './access/authenticate-key.ts'
import { createSessionAuthentication } from './access/authenticate-session.ts'
import { endAccess } from './access/end-access.ts'
import { bindings } from './api/bindings.ts'
import { openBodyReader } from './api/body-reader.ts'
import type { AppDeps } from './app-deps.ts'
import { type Config, reachableUrl } from './config.ts'
import { type Accounts, createAccounts } from './features/accounts/auth/auth.ts'
import { createBrainLocks } from './features/brain/brain-locks/brain-locks.ts'
import { openLiveTails } from './features/brain/live-tail/live-tail.ts'
import { createSchemaCache } from './features/brain/schema/schema.ts'
import { createListScopes } from './features/platform/cursors/cursors.ts'
import { createOpenShares } from './features/platform/limits/limits.ts'
import { createMail, type MailServer, type Message, openMailServer } from './features/platform/mail/mail.ts'
import { createRates } from './features/platform/rates/rates.ts'
import { createEmbedder } from './features/retrieval/embedding/embedding.ts'
import { createPassageIndexer, LexicalIndex } from './features/retrieval/lexical-index/lexical-index.ts'
import { openReceiptBook } from './features/retrieval/receipts/receipts.ts'
import { openPgvector, Vectors } from './features/retrieval/vectors/vectors.ts'
import { CommitEngine } from './features/writing/commit/commit.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { openMetrics } from './http/metrics.ts'
import { trustedOrigins } from './http/origin.ts'
import { createHttpServer } from './http/server.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import { mcpBindings } from './mcp/server.ts'
import type { Clock } from './shared/clock.ts'
import type { Log } from './shared/log.ts'
import { createOutbound } from './shared/outbound/outbound.ts'
import { createSecretBox } from './shared/secret-box.ts'
import { createTopics } from './shared/topics.ts'
import { type DatabaseAddress, type Db, type OpenDatabase, openDatabase } from './storage/database.ts'
import { openDatabaseClock } from './storage/database-clock.ts'
import { migrate } from './storage/migrate.ts'
import { openTopicChannel } from './storage/topic-channel.ts'
import { backgroundWorkers, requestWorkers } from './workers/all.ts'
import { createWorkers, type Workers } from './workers/worker.ts'

/** One running node. */
export type App = {
  /** Listens, and tells the port, and that of the metrics where they have one. */
  listen(): Promise<{ port: number; url: string; metricsPort: number | undefined }>
  /** Everything that repeats in the background on this node; `listen` starts it by the clock, a test runs it once. */
  workers: Workers['list']
  accounts: Accounts
  db: Db
  /** What operations are given; a test runs them by the same. */
  deps: AppDeps
  /** Finishes what runs, then closes everything. Nothing that was acknowledged is lost. */
  close(): Promise<void>
}

export type AppParts = {
  config: Config
  address: DatabaseAddress
  secret: string
  /** In place of the database's clock: one that a test moves. */
  clock?: Clock
  log: Log
  /** Shows the operator a mail where there is no server to deliver it. */
  showMail?: (message: Message) => void
}

type Base = Pick<AppDeps, 'db' | 'prepared' | 'clock' | 'log' | 'topics' | 'vectors'>

const openVectors = async (
  { config, address, log }: AppParts,
  { db, prepared, together }: OpenDatabase,
  clock: Clock,
): Promise<Vectors | undefined> => {
  const base = { db, prepared, together, address, clock, log }
  const embedder = createEmbedder(config.embeddings, base)
  if (!embedder) return undefined
  const passages = config.pgvectorFrom
  const large = passages === undefined ? undefined : { pgvector: await openPgvector(db), passages }
  return new Vectors({ ...base, embedder, maxBytes: config.vectorMemory, large })
}

/** Opens what operations stand on. */
const openBase = async (parts: AppParts, database: OpenDatabase, lifecycle: Lifecycle): Promise<Base> => {
  const { address, log } = parts
  const { db, prepared } = database
  await migrate(db, log)
  const clock = parts.clock ?? lifecycle.open('clock', await openDatabaseClock(db, log), ({ close }) => close()).clock
  const topics = lifecycle.open('topics', createTopics(openTopicChannel(db, address, log)), ({ close }) => close())
  const vectors = lifecycle.open('vectors', await openVectors(parts, database, clock), (opened) => opened?.close())
  return { db, prepared, clock, log, topics, vectors }
}

/** Opens what operations are given. */
const openDeps = async (parts: AppParts, database: OpenDatabase, lifecycle: Lifecycle): Promise<AppDeps> => {
  const { config, secret } = parts
  const base = await openBase(parts, database, lifecycle)
  const schemas = createSchemaCache()
  const maxWaiting = config.waitingPerBrain
  const brainLocks = createBrainLocks(maxWaiting)
  const outbound = createOutbound({
    ...{ allow: config.webhookAllow, ports: config.webhookPorts, limits: config.calls },
    agents: config.agentCalls,
  })
  return {
    ...base,
    schemas,
    outbound: lifecycle.open('outbound', outbound, ({ close }) => close()),
    liveTails: lifecycle.open('live tails', openLiveTails(base), ({ close }) => close()),
    receipts: lifecycle.open('receipts', openReceiptBook(base), ({ idle }) => idle()),
    commitEngine: lifecycle.open(
      'commit engine',
      new CommitEngine({ ...base, schemas, brainLocks, maxWaiting }),
      (engine) => engine.idle(),
    ),
    brainLocks,
    secretBox: createSecretBox(secret, 'signing secrets'),
    lexicalIndex: new LexicalIndex(base, config.searchMemory),
    receiptDays: config.receiptDays,
    transferLimits: config.transferLimits,
    ...{ maxKeys: config.maxKeys, maxSchemas: config.maxSchemas },
    caps: config.caps,
    open: createOpenShares(config.open),
    rates: createRates(base),
    rateLimits: config.rates,
    adminEmails: config.adminEmails,
    listScope: createListScopes(secret),
  }
}

/** What a node does in the background by its roles. */
const openWorkers = (
  { config, log }: AppParts,
  lifecycle: Lifecycle,
  { deps, keys, mailServer }: { deps: AppDeps; keys: KeyAuthentication; mailServer: MailServer | undefined },
): Workers => {
  const isWorker = config.roles.includes('worker')
  const indexer = isWorker ? lifecycle.open('indexer', createPassageIndexer(deps), ({ close }) => close()) : undefined
  const workers = createWorkers(
    [
      ...(indexer ? backgroundWorkers(deps, { mailServer, indexer }) : []),
      ...(config.roles.includes('http') ? requestWorkers(deps, keys) : []),
    ],
    { log, clock: deps.clock },
  )
  return lifecycle.open('workers', workers, ({ stop }) => stop())
}

/** Builds one node: what is opened last is closed first. */
const openApp = async (parts: AppParts, lifecycle: Lifecycle): Promise<Omit<App, 'close'>> => {
  const { config, address, secret, log } = parts
  const database = openDatabase(address, log, config.databasePool, config.statementSeconds)
  const { db, pool } = lifecycle.open('database', database, ({ close }) => close())
  const deps = await openDeps(parts, database, lifecycle)
  const publicUrl = reachableUrl(config, config.port)
  const appOrigin = config.appOrigin ?? new URL(publicUrl).origin
  const trusted = trustedOrigins({ publicUrl, appOrigin, trustedOrigins: config.trustedOrigins })
  const mailServer = config.smtpUrl ? openMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom }) : undefined
  const { maxOrganizations, maxDailyInvitations, maxHourlyMail: maxHourly } = config
  const delivers = mailServer !== undefined
  const mail = createMail({ db, log, clock: deps.clock, delivers, maxHourly, show: parts.showMail })
  const settings = { secret, publicUrl, appOrigin, trustedOrigins: [...trusted], maxOrganizations, maxDailyInvitations }
  const accounts = createAccounts({ db, clock: deps.clock, log, mail, settings, endAccess })
  if (config.bootstrap) await accounts.createFirst(config.bootstrap)
  const keys = lifecycle.open('use of keys', createKeyAuthentication(deps), ({ noteUse }) => noteUse())
  const workers = openWorkers(parts, lifecycle, { deps, keys, mailServer })
  const authenticate = createAuthenticate({ keys, sessions: createSessionAuthentication(deps), accounts, trusted })
  const metrics = await openMetrics(config.metrics, { workers: workers.health, pool }, log)
  lifecycle.open('metrics', metrics.server, (server) => server?.close())
  const routes = { bindings: [...bindings, ...mcpBindings], metrics, workers: workers.health }
  const bodies = lifecycle.open('bodies', openBodyReader(), ({ close }) => close())
  const edge = {
    ...routes,
    bodies,
    accounts,
    authenticate,
    trusted,
    publicUrl,
    trustedProxies: config.trustedProxies,
    maxRequests: config.maxRequests,
    maxWaitMilliseconds: config.maxWaitMilliseconds,
  }
  const http = lifecycle.open('http', createHttpServer(deps, edge), ({ drain }) => drain())
  return {
    ...{ workers: workers.list, accounts, db, deps },
    listen: async () => {
      const port = await http.listen({ port: config.port, host: config.host })
      const metricsPort = await metrics.server?.listen(config.host)
      workers.start()
      return { port, url: reachableUrl(config, port), metricsPort }
    },
  }
}

/** Builds one node over a database: the one place where everything is put together. */
export const createApp = async (parts: AppParts): Promise<App> => {
  const lifecycle = createLifecycle(parts.log)
  try {
    return { ...(await openApp(parts, lifecycle)), close: lifecycle.close }
  } catch (error) {
    await lifecycle.close()
    throw error
  }
}
