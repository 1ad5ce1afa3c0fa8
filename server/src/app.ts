import { createKeyAuthentication, type KeyAuthentication } from './access/authenticate-key.ts'
import { createSessionAuthentication } from './access/authenticate-session.ts'
import { endAccess } from './access/end-access.ts'
import { trySandbox } from './agent-runtime/code/open-sandbox.ts'
import { createExtractiveModel } from './agent-runtime/models/extractive/extractive.ts'
import { createOpenModel } from './agent-runtime/models/provider-models.ts'
import { openRunLeases } from './agent-runtime/run-leases.ts'
import { createRunWork } from './agent-runtime/run-work.ts'
import type { AppDeps } from './api/app-deps.ts'
import { bindings } from './api/bindings.ts'
import { reachableUrl } from './config/addresses.ts'
import { BadSetting } from './config/setting.ts'
import { appDocuments } from './features/accounts/apps/descriptions.ts'
import { type Accounts, createAccounts } from './features/accounts/auth/auth.ts'
import { openGoalWaking } from './features/evals/goals/wake-goals.ts'
import { createNodeReport } from './features/oversight/service-health/service-health.ts'
import { type MailServer, openMailServer } from './features/platform/mail/deliver-mail.ts'
import { createPassageIndexer } from './features/retrieval/lexical-index/indexer.ts'
import { createAuthenticate } from './http/admission/authenticate.ts'
import { type Forwarding, openForwarding } from './http/forwarding/forwarding.ts'
import { type LargeRequests, openLargeRequests } from './http/large-requests/large-requests.ts'
import { toOwnOrigins, trustedOrigins } from './http/request/origin.ts'
import { openMetrics } from './http/server/metrics.ts'
import { createHttpServer } from './http/server/server.ts'
import { createLifecycle, type Lifecycle } from './lifecycle.ts'
import { mcpBindings } from './mcp/server.ts'
import { checkPooler, openKeyed, openServers, openWorkDeps } from './node/open-databases.ts'
import { type NodeParts, openDeps, type SharedServices } from './node/open-deps.ts'
import { openAiBindings } from './openai/server.ts'
import type { Clock } from './shared/clock.ts'
import { createTopics } from './shared/concurrency/topics.ts'
import { conflict } from './shared/errors.ts'
import type { Sandbox } from './shared/isolation/bubblewrap.ts'
import { type Db, type OpenDatabase, openDatabase } from './storage/database.ts'
import { openDatabaseClock } from './storage/database-clock.ts'
import { migrateAt } from './storage/migrate.ts'
import { openReplicas } from './storage/replicas.ts'
import { openTopicChannel } from './storage/topic-channel.ts'
import { backgroundWorkers, requestWorkers } from './workers/all.ts'
import { createWorkers, type Workers } from './workers/worker.ts'

/** One running node. */
export type App = {
  /** Starts to listen. Returns the port, and that of the metrics if they have one. */
  listen(): Promise<{ port: number; url: string; metricsPort: number | undefined }>
  /** The background workers of this node. `listen` starts them by the clock; a test runs each once. */
  workers: Workers['list']
  accounts: Accounts
  db: Db
  /** The dependencies of operations, for tests that call them. */
  deps: AppDeps
  /** Tells proxies to send no more requests to this node. It still answers those that arrive. */
  leave(): void
  /** Finishes work in progress, then closes everything. Nothing that was acknowledged is lost. */
  close(): Promise<void>
}

export type AppParts = NodeParts & {
  /** Replaces the database's clock, so that a test can move it. */
  clock?: Clock
}

/** Migrates the database to this version, and checks whether its tables are divided over several servers. */
const migrateDatabase = async ({ address, log }: AppParts): Promise<boolean> => {
  const division = await migrateAt(address, log)
  if (division !== 'part') return division === 'whole'
  throw conflict(
    'Some tables are distributed over the servers of a cluster and others are not. Run `noema distribute`.',
  )
}

const openMain = ({ config, address, log }: AppParts, isDivided: boolean): OpenDatabase => {
  const { statementSeconds, preparesStatements, poolerUrl } = config
  const options = { statementSeconds, preparesStatements, isPooled: poolerUrl !== undefined }
  const clusterRole = isDivided ? 'coordinator' : undefined
  return openDatabase(poolerUrl ?? address, log, config.databasePool, { ...options, clusterRole })
}

/** The sandbox for Python, on a node that runs agents. Refuses to start where the settings want one that does not work. */
const openSandbox = async ({ config }: AppParts): Promise<Sandbox | undefined> => {
  const tried = config.roles.includes('worker') ? await trySandbox(config) : undefined
  if (tried && 'missing' in tried)
    throw new BadSetting(
      `NOEMA_SANDBOX=bwrap cannot be used: ${tried.missing}. Or unset it: agents then run JavaScript alone.`,
    )
  return tried?.sandbox
}

/** Opens the services that threads share. */
const openShared = async (
  parts: AppParts,
  { database, isDivided }: { database: OpenDatabase; isDivided: boolean },
  lifecycle: Lifecycle,
): Promise<SharedServices> => {
  const { address, log, config } = parts
  const { db } = database
  if (parts.config.poolerUrl !== undefined) await checkPooler(database, parts.config)
  const clock = parts.clock ?? lifecycle.open('clock', await openDatabaseClock(db, log), ({ close }) => close()).clock
  const keyedDb = openKeyed(parts, database, { lifecycle, isDivided })
  const topics = lifecycle.open('topics', createTopics(openTopicChannel(keyedDb, address, log)), ({ close }) => close())
  const { statementSeconds, preparesStatements } = config
  const replicas = await openReplicas(db, { ...config.replicas, statementSeconds, preparesStatements }, log)
  lifecycle.open('replicas', replicas, ({ close }) => close())
  const brainServers = await openServers(parts, { database, isDivided })
  lifecycle.open('workers of the cluster', brainServers, ({ close }) => close())
  return { database, keyedDb, isDivided, replicas, brainServers, clock, topics, sandbox: await openSandbox(parts) }
}

/** The workers of agent runs, with the models of providers and the built-in one. */
const openRuns = ({ config }: AppParts, lifecycle: Lifecycle, deps: AppDeps) => {
  const leases = lifecycle.open('leases of runs', openRunLeases({ ...deps, db: deps.keyedDb }), ({ close }) => close())
  const openModel = createOpenModel({ ...deps, builtin: { extractive: createExtractiveModel } })
  return createRunWork({ ...deps, openModel }, leases, config.runs)
}

/** The background workers of a node, by its roles. */
const openWorkers = (
  parts: AppParts,
  lifecycle: Lifecycle,
  {
    deps,
    keys,
    mailServer,
    forwarding,
  }: { deps: AppDeps; keys: KeyAuthentication; mailServer: MailServer | undefined; forwarding: Forwarding | undefined },
): Workers => {
  const { config, log } = parts
  const isWorker = config.roles.includes('worker')
  const workDeps = isWorker ? openWorkDeps(parts, lifecycle, deps) : deps
  const indexer = isWorker
    ? lifecycle.open('indexer', createPassageIndexer(workDeps), ({ close }) => close())
    : undefined
  const health: { of?: Workers } = {}
  const readHealth = () => [...(health.of?.health() ?? []), ...(deps.tracer ? [deps.tracer.health()] : [])]
  const { roles, dataDir } = config
  const report = { roles, dataDir, health: readHealth, address: forwarding?.address }
  const workers = createWorkers(
    [
      createNodeReport(deps, report),
      ...(forwarding ? [forwarding.worker] : []),
      ...(indexer
        ? backgroundWorkers(workDeps, { mailServer, indexer, runs: openRuns(parts, lifecycle, workDeps) })
        : []),
      ...(config.roles.includes('http') ? requestWorkers(deps, keys) : []),
    ],
    { log, clock: deps.clock },
  )
  health.of = workers
  return { ...lifecycle.open('workers', workers, ({ stop }) => stop()), health: readHealth }
}

/** Adds runs to traces if the settings name a collector. */
const openRunTraces = async ({ config, log }: AppParts, { db, runs, tracer }: AppDeps) => {
  if (!config.traces || !tracer) return undefined
  const { openRunSpans, createTraceReader } = await import('./agent-runtime/spans/spans.ts')
  const { hasContent } = config.traces
  const spans = openRunSpans({ tracer, hasContent, log, read: createTraceReader(db, config.traces) })
  runs.listen(spans.note)
  return spans
}

const listenToRuns = async (parts: AppParts, lifecycle: Lifecycle, deps: AppDeps): Promise<void> => {
  lifecycle.open('waking of goals', openGoalWaking(deps), ({ idle }) => idle())
  lifecycle.open('traces of runs', await openRunTraces(parts, deps), (spans) => spans?.close())
}

/** Opens the connections to other nodes, if this one has an address for them. */
const openNodes = async ({ config, secret }: AppParts, deps: AppDeps): Promise<Forwarding | undefined> => {
  const { nodeAddress: own, maxRequests: limits, maxWaitMilliseconds: maxMilliseconds } = config
  if (own === undefined) return undefined
  try {
    return await openForwarding(deps, [...bindings, ...mcpBindings], { own, secret, limits, maxMilliseconds })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new BadSetting(
      `NOEMA_NODE_ADDRESS=${own} cannot be used: ${reason}. Name a host of this machine and a free port.`,
    )
  }
}

const openLarge = ({ config, address, secret }: AppParts, deps: AppDeps): LargeRequests => {
  const data = { config, address, secret, isDivided: deps.isDivided }
  return openLargeRequests(new URL('./node/large-request-thread.ts', import.meta.url), data, deps)
}

/** Builds one node. Resources are closed in the reverse order. */
const openApp = async (parts: AppParts, lifecycle: Lifecycle): Promise<Omit<App, 'close'>> => {
  const { config, secret, log } = parts
  const isDivided = await migrateDatabase(parts)
  const database = openMain(parts, isDivided)
  const { db, pool } = lifecycle.open('database', database, ({ close }) => close())
  const services = await openShared(parts, { database, isDivided }, lifecycle)
  const deps = await openDeps(parts, services, lifecycle)
  await listenToRuns(parts, lifecycle, deps)
  const { mail, publicUrl, passwords } = deps
  const appUrl = config.appOrigin ?? publicUrl
  const trusted = trustedOrigins({ publicUrl, appUrl, trustedOrigins: config.trustedOrigins })
  const mailServer = config.smtpUrl ? openMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom }) : undefined
  const { maxOrganizations, maxDailyInvitations, signIn } = config
  const limits = { maxOrganizations, maxDailyInvitations }
  const settings = { secret, publicUrl, appUrl, trustedOrigins: trusted, signIn, ...limits, maxKeys: deps.limits.keys }
  const fetchDocument = deps.outbound.fetch('app', appDocuments)
  const opened = createAccounts({ db, clock: deps.clock, log, mail, passwords, settings, endAccess, fetchDocument })
  const accounts = lifecycle.open('accounts', opened, ({ idle }) => idle())
  if (config.bootstrap) await accounts.createFirst(config.bootstrap)
  const keys = lifecycle.open('use of keys', createKeyAuthentication(deps), ({ recordUse }) => recordUse())
  const forwarding = lifecycle.open('other nodes', await openNodes(parts, deps), (opened) => opened?.close())
  const workers = openWorkers(parts, lifecycle, { deps, keys, mailServer, forwarding })
  const authenticate = createAuthenticate({ keys, sessions: createSessionAuthentication(deps), accounts, trusted })
  const source = {
    ...{ workers: workers.health, pool, disk: services.database.disk, replicas: services.replicas.report, forwarding },
    ...{ measures: deps.measures, isTraced: deps.tracer !== undefined, health: deps.serviceHealth.read },
  }
  const metrics = await openMetrics(config.metrics, source, log)
  lifecycle.open('metrics', metrics.server, (server) => server?.close())
  const routes = { bindings: [...bindings, ...mcpBindings, ...openAiBindings], metrics, workers: workers.health }
  const largeRequests = lifecycle.open('large requests', openLarge(parts, deps), ({ close }) => close())
  const edge = {
    ...routes,
    ...{ largeRequests, forwarding },
    accounts,
    authenticate,
    trusted,
    publicUrl,
    appUrl,
    takesRegistrations: signIn.appRegistrations > 0,
    trustedProxies: config.trustedProxies,
    takesAnyOrigin: config.corsAny,
    ...{ maxRequests: config.maxRequests, byteRates: config.byteRates },
    ...{ maxConnections: config.maxConnections, maxWaitMilliseconds: config.maxWaitMilliseconds },
  }
  const http = lifecycle.open('http', createHttpServer(deps, edge), ({ drain }) => drain())
  return {
    ...{ workers: workers.list, accounts, db, deps, leave: http.leave },
    listen: async () => {
      const port = await http.listen({ port: config.port, host: config.host })
      const metricsPort = await metrics.server?.listen(config.host)
      workers.start()
      const url = reachableUrl(config, port)
      for (const origin of toOwnOrigins(url)) trusted.add(origin)
      return { port, url, metricsPort }
    },
  }
}

/** Builds one node on a database: the only place that wires everything together. */
export const createApp = async (parts: AppParts): Promise<App> => {
  const lifecycle = createLifecycle(parts.log)
  try {
    return { ...(await openApp(parts, lifecycle)), close: lifecycle.close }
  } catch (error) {
    await lifecycle.close()
    throw error
  }
}
