import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createKeyAuthentication } from './access/authenticate-key.ts'
import { createSessionAuthentication } from './access/authenticate-session.ts'
import { bindings } from './api/bindings.ts'
import type { AppDeps } from './app-deps.ts'
import { type Config, reachableUrl } from './config.ts'
import { type Accounts, createAccounts, hasAccounts } from './features/accounts/auth/auth.ts'
import { createSchemaCache } from './features/brain/schema/schema.ts'
import { createListScopes } from './features/platform/cursors/cursors.ts'
import { openMailServer } from './features/platform/mail/deliver-mail.ts'
import { createMail } from './features/platform/mail/mail.ts'
import { createEmbedder } from './features/retrieval/embedding/embedding.ts'
import { createIndexReader, createPassageIndexer } from './features/retrieval/lexical-index/lexical-index.ts'
import { openReceiptBook } from './features/retrieval/receipts/receipts.ts'
import { createVectors, openPgvector, type Vectors } from './features/retrieval/vectors/vectors.ts'
import { openCommitEngine } from './features/writing/commit/commit.ts'
import { createTransferSlots } from './features/writing/transfers/transfers.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { trustedOrigins } from './http/origin.ts'
import { createHttpServer } from './http/server.ts'
import { mcpBindings } from './mcp/server.ts'
import type { Clock } from './shared/clock.ts'
import type { Log } from './shared/log.ts'
import { createOutbound } from './shared/outbound/outbound.ts'
import { createSeal } from './shared/seal.ts'
import { withTimeout } from './shared/timeout.ts'
import { createTopics } from './shared/topics.ts'
import { type DatabaseAddress, type Db, type OpenDatabase, openDatabase } from './storage/database.ts'
import { isMigrated, migrate } from './storage/migrate.ts'
import { openTopicChannel } from './storage/topic-channel.ts'
import { backgroundWorkers, requestWorkers } from './workers/all.ts'
import { startWorkers, type Worker } from './workers/worker.ts'

/** One running node. */
export type App = {
  /** Listens, and tells the port. */
  listen(): Promise<{ port: number; url: string }>
  /** Everything that repeats in the background on this node; `listen` starts it by the clock, a test runs it once. */
  workers: readonly Worker[]
  accounts: Accounts
  db: Db
  /** What operations are given; a test runs them by the same. */
  deps: AppDeps
  /** Finishes what runs, then closes everything. Nothing that was acknowledged is lost. */
  close(): Promise<void>
}

const readyMilliseconds = 2_000
const drainMilliseconds = 25_000
const sweepMilliseconds = 50

/** Whether the database answers in time and has this version's schema. */
const readiness = (db: Db) => (): Promise<boolean> =>
  withTimeout(
    isMigrated(db).catch(() => false),
    readyMilliseconds,
    false,
  )

const bootstrap = async (config: Config, db: Db, accounts: Accounts, log: Log): Promise<void> => {
  if (!config.bootstrap || (await hasAccounts(db))) return
  await accounts.createVerified(config.bootstrap)
  log.info({ email: config.bootstrap.email }, 'made the first account')
}

/** The connections of a server that are open at any time. */
const openConnections = (http: FastifyInstance): ReadonlySet<Socket> => {
  const connections = new Set<Socket>()
  http.server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  return connections
}

/** Waits for requests under way, but not for ever. */
const closeHttp = async (http: FastifyInstance, connections: ReadonlySet<Socket>): Promise<void> => {
  const cut = setTimeout(() => http.server.closeAllConnections(), drainMilliseconds)
  // Nobody else closes a connection whose last answer ends after the server began to close, or one that never asked.
  const sweep = setInterval(() => {
    http.server.closeIdleConnections()
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  }, sweepMilliseconds)
  await http.close()
  clearInterval(sweep)
  clearTimeout(cut)
}

export type AppParts = { config: Config; address: DatabaseAddress; secret: string; clock: Clock; log: Log }

type VectorParts = Pick<AppDeps, 'db' | 'prepared' | 'clock' | 'log'> &
  Pick<OpenDatabase, 'together'> & { address: DatabaseAddress }

const openVectors = async (config: Config, deps: VectorParts): Promise<Vectors | undefined> => {
  const embedder = createEmbedder(config.embeddings, deps)
  if (!embedder) return undefined
  const passages = config.pgvectorFrom
  const large = passages === undefined ? undefined : { pgvector: await openPgvector(deps.db), passages }
  return createVectors({ ...deps, embedder, mostBytes: config.vectorMemory, large })
}

/** What operations are given, over what is there before them. */
const createDeps = (
  { config, secret }: Pick<AppParts, 'config' | 'secret'>,
  base: Pick<AppDeps, 'db' | 'prepared' | 'clock' | 'log' | 'topics' | 'vectors'>,
): AppDeps => {
  const schemas = createSchemaCache()
  return {
    ...base,
    schemas,
    commitEngine: openCommitEngine({ ...base, schemas }),
    receipts: openReceiptBook(base),
    outbound: createOutbound({ allow: config.webhookAllow, ports: config.webhookPorts }),
    seal: createSeal(secret, 'signing secrets'),
    indexes: createIndexReader(base, config.searchMemory),
    receiptDays: config.receiptDays,
    takeTransferSlot: createTransferSlots(Math.max(1, Math.floor(config.databasePool / 4))),
    caps: config.caps,
    adminEmails: config.adminEmails,
    listScope: createListScopes(secret),
  }
}

/** Builds one node over a database: the one place where everything is put together. */
export const createApp = async ({ config, address, secret, clock, log }: AppParts): Promise<App> => {
  const { db, prepared, together, close: closeDatabase } = openDatabase(address, log, config.databasePool)
  const prepare = async () => {
    await migrate(db, log)
    return openVectors(config, { db, address, prepared, together, clock, log })
  }
  const vectors = await prepare().catch(async (error: unknown) => {
    await closeDatabase()
    throw error
  })
  const topics = createTopics(openTopicChannel(db, address, log))
  const deps = createDeps({ config, secret }, { db, prepared, clock, log, topics, vectors })
  const publicUrl = reachableUrl(config, config.port)
  const appOrigin = config.appOrigin ?? new URL(publicUrl).origin
  const trusted = trustedOrigins({ publicUrl, appOrigin, trustedOrigins: config.trustedOrigins })
  const mailServer = config.smtpUrl ? openMailServer({ smtpUrl: config.smtpUrl, from: config.mailFrom }) : undefined
  const mail = createMail({ db, log, clock, delivers: mailServer !== undefined })
  const settings = { secret, publicUrl, appOrigin, trustedOrigins: [...trusted] }
  const accounts = createAccounts({ db, log, mail, settings })
  await bootstrap(config, db, accounts, log)
  const keys = createKeyAuthentication(deps)
  const drain = new AbortController()
  const http = createHttpServer(deps, {
    bindings: [...bindings, ...mcpBindings],
    accounts,
    authenticate: createAuthenticate({ keys, sessions: createSessionAuthentication(deps), accounts, trusted }),
    trusted,
    publicUrl,
    draining: drain.signal,
    health: { isReady: readiness(db) },
  })
  const connections = openConnections(http)
  const indexer = config.roles.includes('worker') ? createPassageIndexer(deps) : undefined
  const workers = [
    ...(indexer ? backgroundWorkers(deps, { mailServer, indexer }) : []),
    ...(config.roles.includes('http') ? requestWorkers(deps, keys) : []),
  ]
  let stopWorkers = async () => {}
  return {
    workers,
    accounts,
    db,
    deps,
    listen: async () => {
      await http.listen({ port: config.port, host: config.host })
      stopWorkers = startWorkers(workers, log)
      const { port } = http.server.address() as AddressInfo
      return { port, url: reachableUrl(config, port) }
    },
    close: async () => {
      drain.abort()
      await closeHttp(http, connections)
      await deps.commitEngine.idle()
      await deps.receipts.idle()
      await deps.vectors?.close()
      await indexer?.close()
      await stopWorkers()
      await keys.noteUse().catch(() => undefined)
      await topics.close()
      await deps.outbound.close()
      await closeDatabase()
    },
  }
}
