import type { AppDeps } from '../api/app-deps.ts'
import { reachableUrl } from '../config/addresses.ts'
import type { Config } from '../config/config.ts'
import { type Passwords, scryptPasswords } from '../features/accounts/auth/passwords.ts'
import { openOutputChecks } from '../features/agents/agents/output-checks.ts'
import { openRunFeeds } from '../features/agents/run-feeds/run-feeds.ts'
import { openRunStore } from '../features/agents/runs/run-store.ts'
import { createPackedEvals } from '../features/evals/packed-evals/packed-evals.ts'
import { openObjectStore, withLog } from '../features/files/artifacts/object-store.ts'
import { createExtractor } from '../features/files/extraction/extraction.ts'
import { openLiveTails } from '../features/kernel/live-tail/live-tail.ts'
import { createBrainLocks } from '../features/kernel/locks/locks.ts'
import { createBrainReads } from '../features/kernel/replica-reads/replica-reads.ts'
import { createUsageSums } from '../features/kernel/usage/usage-sums.ts'
import { createSchemaCache } from '../features/knowledge/schema/schema-cache.ts'
import { createScheduledWork } from '../features/learning/scheduled-work/scheduled-work.ts'
import { createServiceHealth } from '../features/oversight/service-health/service-health.ts'
import { createListScopes } from '../features/platform/cursors/cursors.ts'
import { createOpenShares } from '../features/platform/limits/limits.ts'
import { createMail, type Message } from '../features/platform/mail/mail.ts'
import { createRates } from '../features/platform/rates/rates.ts'
import { createCorpusSlots } from '../features/retrieval/corpora/open-parts.ts'
import { createEmbedder, openFormer, toSource } from '../features/retrieval/embedding/embedding.ts'
import { LexicalIndex } from '../features/retrieval/lexical-index/lexical-index.ts'
import { createPreviewSlots } from '../features/retrieval/previews/preview-slots.ts'
import { createCountSlots } from '../features/retrieval/query/counting.ts'
import { createReceiptWriter } from '../features/retrieval/receipts/leave-receipt.ts'
import { createReranker } from '../features/retrieval/reranking/reranking.ts'
import { openPgvector } from '../features/retrieval/vectors/pgvector.ts'
import { Vectors } from '../features/retrieval/vectors/vectors.ts'
import { CommitEngine } from '../features/writing/commit/commit-engine.ts'
import { openCommitFunction } from '../features/writing/commit/commit-function-queries.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { Clock } from '../shared/clock.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import type { Sandbox } from '../shared/isolation/bubblewrap.ts'
import type { Log } from '../shared/log.ts'
import { createMeasures, type Measures } from '../shared/measures.ts'
import { createNetworks } from '../shared/outbound/addresses.ts'
import { createOutbound } from '../shared/outbound/outbound.ts'
import { createSecretBox } from '../shared/secret-box.ts'
import type { Tracer } from '../shared/tracing/tracer.ts'
import type { BrainServers } from '../storage/brain-servers.ts'
import type { Db, OpenDatabase } from '../storage/database.ts'
import type { DatabaseAddress } from '../storage/database-address.ts'
import { createDuePolls } from '../storage/due-polls.ts'
import type { Replicas } from '../storage/replicas.ts'

/** The settings and resources that a node starts with. */
export type NodeParts = {
  config: Config
  address: DatabaseAddress
  secret: string
  log: Log
  /** The node's metrics; discarded if not given. */
  measures?: Measures
  /** The hash of passwords: scrypt unless a test passes a cheaper one. */
  passwords?: Passwords
  /** Shows the operator an email that no server delivers. */
  showMail?: (message: Message) => void
}

/** Services that the threads of a node share, or that each thread has for itself. */
export type SharedServices = {
  database: OpenDatabase
  keyedDb: Db
  isDivided: boolean
  replicas: Replicas
  brainServers: BrainServers
  clock: Clock
  topics: Topics
  sandbox?: Sandbox | undefined
}

const openVectors = async (
  { config, address, log }: NodeParts,
  { database: { db, prepared, together }, clock }: SharedServices,
): Promise<Vectors | undefined> => {
  const base = { db, prepared, together, address, clock, log }
  const { embeddings } = config
  const embedder = createEmbedder(embeddings, base)
  if (!embedder || embeddings === 'off') return undefined
  const passages = config.pgvectorFrom
  const large = passages === undefined ? undefined : { pgvector: await openPgvector(db), passages }
  return new Vectors({
    ...{ ...base, embedder, maxBytes: config.vectorMemory, large },
    source: toSource(embeddings),
    openSource: (source) => openFormer(embeddings, source, base),
  })
}

/** Opens the traces of this thread if the settings name a collector. Otherwise it loads no code for them. */
const openTraces = async ({ config: { traces }, log }: NodeParts, measures: Measures): Promise<Tracer | undefined> => {
  if (!traces) return undefined
  const { openTracer } = await import('../shared/tracing/tracer.ts')
  return openTracer(traces, { log, measures }, createNetworks(traces.callers))
}

type OfRuns = Pick<AppDeps, 'runs' | 'outputChecks' | 'scheduledWork' | 'packedEvals'>
type RunBase = Parameters<typeof createScheduledWork>[0] &
  Pick<AppDeps, 'keyedDb'> &
  Omit<Parameters<typeof openRunStore>[0], 'db'>

/** Opens the store of runs, and what schedules start and packs bring. */
const openRunParts = (base: RunBase, lifecycle: Lifecycle): OfRuns => {
  const runs = lifecycle.open('runs', openRunStore({ ...base, db: base.keyedDb }), ({ idle }) => idle())
  const outputChecks = lifecycle.open('checks of outputs', openOutputChecks(), ({ close }) => close())
  return {
    ...{ runs, outputChecks },
    scheduledWork: createScheduledWork(base),
    packedEvals: createPackedEvals({ ...base, outputChecks }),
  }
}

type CommitDeps = Omit<ConstructorParameters<typeof CommitEngine>[0], 'sumUsage'>

const openCommits = (deps: CommitDeps, lifecycle: Lifecycle): CommitEngine =>
  lifecycle.open('commit engine', new CommitEngine({ ...deps, sumUsage: createUsageSums(deps) }), (engine) =>
    engine.idle(),
  )

/** Opens the dependencies of operations. */
export const openDeps = async (parts: NodeParts, services: SharedServices, lifecycle: Lifecycle): Promise<AppDeps> => {
  const { config, secret, log, measures = createMeasures() } = parts
  const { database, keyedDb, isDivided, replicas, brainServers, clock, topics } = services
  const { db, prepared, disk } = database
  const tracer = lifecycle.open('traces', await openTraces(parts, measures), (opened) => opened?.close())
  const vectors = lifecycle.open('vectors', await openVectors(parts, services), (opened) => opened?.close())
  const reranker = lifecycle.open('reranker', createReranker(config.rerank, { clock, log }), (opened) =>
    opened?.close(),
  )
  const extractor = lifecycle.open('extractor', createExtractor({ ...config.extraction, log }), ({ close }) => close())
  const shared = { db, keyedDb, prepared, isDivided, brainServers, clock, log, topics, measures }
  const base = { ...shared, tracer, vectors, reranker }
  const schemas = createSchemaCache()
  const { waitingPerBrain: maxWaiting } = config
  const { records: recordLimits, refusesCredentials } = config.limits
  const brainLocks = createBrainLocks(maxWaiting)
  const outbound = createOutbound({
    ...{ allow: config.webhookAllow, ports: config.webhookPorts, limits: config.calls },
    ...{ agents: config.agentCalls, pages: config.webPages, measures },
  })
  const commits = {
    maxWaiting,
    refusesCredentials,
    commitFunction: isDivided ? await openCommitFunction(db, log) : undefined,
  }
  const delivers = config.smtpUrl !== undefined
  const mail = createMail({ ...base, delivers, maxHourly: config.maxHourlyMail, show: parts.showMail })
  return {
    ...base,
    ...{ extractor, objects: withLog(await openObjectStore(config.artifactStore), log) },
    disk,
    findDueKeys: createDuePolls(keyedDb, isDivided),
    passwords: parts.passwords ?? scryptPasswords,
    brainReads: createBrainReads({ primary: database, replicas, brainServers, isDivided, measures }),
    schemas,
    outbound: lifecycle.open('outbound', outbound, ({ close }) => close()),
    liveTails: lifecycle.open('live tails', openLiveTails(base), ({ close }) => close()),
    runFeeds: lifecycle.open('readers of runs', openRunFeeds(base), ({ close }) => close()),
    receipts: lifecycle.open('receipts', createReceiptWriter(base), ({ idle }) => idle()),
    countSlots: createCountSlots(),
    ...{ corpusSlots: createCorpusSlots(), previewSlots: createPreviewSlots(), recordLimits },
    commitEngine: openCommits({ ...base, ...commits, schemas, brainLocks, recordLimits }, lifecycle),
    brainLocks,
    ...openRunParts({ ...base, limits: config.limits }, lifecycle),
    secretBox: createSecretBox(secret, 'signing secrets'),
    lexicalIndex: new LexicalIndex(config.searchMemory),
    ...{ limits: config.limits, webPages: config.webPages },
    ...{ sharedKeys: config.sharedKeys, sharesRuns: config.sharesRuns, sandbox: services.sandbox },
    open: createOpenShares(config.open),
    rates: createRates(base),
    adminEmails: config.adminEmails,
    mail,
    serviceHealth: createServiceHealth(
      { ...base, mail, builtIn: config.databaseUrl === undefined },
      vectors && (() => vectors.findTargetSpace()),
    ),
    publicUrl: reachableUrl(config, config.port),
    listScope: createListScopes(secret),
  }
}
