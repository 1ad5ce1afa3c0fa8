import type { Config, Limits } from '../config/config.ts'
import type { Passwords } from '../features/accounts/auth/passwords.ts'
import type { OutputChecks } from '../features/agents/agents/output-checks.ts'
import type { PackedEvals } from '../features/agents/packs/packed-evals.ts'
import type { RunFeeds } from '../features/agents/run-feeds/run-feeds.ts'
import type { RunStore } from '../features/agents/runs/run-store.ts'
import type { ScheduledWork } from '../features/agents/schedules/targets.ts'
import type { ObjectStore } from '../features/files/artifacts/object-store.ts'
import type { Extractor } from '../features/files/extraction/extraction.ts'
import type { LiveTails } from '../features/kernel/live-tail/live-tail.ts'
import type { BrainLocks } from '../features/kernel/locks/locks.ts'
import type { BrainReads } from '../features/kernel/replica-reads/replica-reads.ts'
import type { RecordLimits } from '../features/knowledge/records/apply.ts'
import type { SchemaCache } from '../features/knowledge/schema/schema-cache.ts'
import type { ServiceHealthReader } from '../features/oversight/service-health/service-health.ts'
import type { CursorScope } from '../features/platform/cursors/cursors.ts'
import type { OpenShares } from '../features/platform/limits/limits.ts'
import type { Mail } from '../features/platform/mail/mail.ts'
import type { Rates } from '../features/platform/rates/rates.ts'
import type { LexicalIndex } from '../features/retrieval/lexical-index/lexical-index.ts'
import type { ReceiptWriter } from '../features/retrieval/receipts/leave-receipt.ts'
import type { Reranker } from '../features/retrieval/reranking/reranking.ts'
import type { Vectors } from '../features/retrieval/vectors/vectors.ts'
import type { Commits } from '../features/writing/commit/commit-engine.ts'
import type { Clock } from '../shared/clock.ts'
import type { FairLimiter } from '../shared/concurrency/fair-limiter.ts'
import type { FindDueKeys } from '../shared/concurrency/leased-work.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import type { Sandbox } from '../shared/isolation/bubblewrap.ts'
import type { Log } from '../shared/log.ts'
import type { Measures } from '../shared/measures.ts'
import type { Outbound } from '../shared/outbound/outbound.ts'
import type { SecretBox } from '../shared/secret-box.ts'
import type { Tracer } from '../shared/tracing/tracer.ts'
import type { BrainServers } from '../storage/brain-servers.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import type { DiskWatch } from '../storage/disk-watch.ts'

/** The dependencies of operations, made once at startup and passed as an argument. */
export type AppDeps = {
  db: Db
  /** The pool with pinned plans, for statements that find every row by its key. */
  keyedDb: Db
  prepared: RunPrepared
  /** True if the tables of Brains are divided over several servers. */
  isDivided: boolean
  /** Reports if the disk of the database is full. */
  disk: Pick<DiskWatch, 'isFull'>
  /** Runs the selects of due keys by which workers poll, those of one moment as one statement. */
  findDueKeys: FindDueKeys
  /** Reads of Brains that may use replicas of the database. */
  brainReads: BrainReads
  /** The workers of a cluster that have Brains, if this node connects to them. */
  brainServers: BrainServers
  clock: Clock
  log: Log
  topics: Topics
  measures: Measures
  /** Traces for the operator's collector; undefined without one. */
  tracer: Tracer | undefined
  /** Locks on Brains during changes. */
  brainLocks: BrainLocks
  commitEngine: Commits
  /** Batched store of what agent runs did. */
  runs: RunStore
  /** Checks what runs answer by the schemas of their agents. */
  outputChecks: OutputChecks
  /** The evals and rubrics that packs bring. */
  packedEvals: PackedEvals
  /** The evals and distillations that schedules start. */
  scheduledWork: ScheduledWork
  receipts: ReceiptWriter
  /** Counts of records that run at once on this node. */
  countSlots: FairLimiter
  /** Brains of corpora that are opened at once on this node. */
  corpusSlots: FairLimiter
  /** Reads with pending changes that run at once on this node. */
  previewSlots: FairLimiter
  recordLimits: RecordLimits
  lexicalIndex: LexicalIndex
  schemas: SchemaCache
  liveTails: LiveTails
  runFeeds: RunFeeds
  passwords: Passwords
  outbound: Outbound
  /** Encrypts the secrets of webhooks, providers and connectors. */
  secretBox: SecretBox
  /** Search by meaning; undefined if the settings turn it off. */
  vectors: Vectors | undefined
  reranker: Reranker | undefined
  /** The store of the bytes of files. Without one, they are in PostgreSQL. */
  objects: ObjectStore
  /** Extracts texts from files; undefined on the worker for large requests, whose few slots it would hold. */
  extractor: Extractor | undefined
  /** The limits of one fetch of a web page. */
  webPages: Pick<Config['webPages'], 'seconds' | 'maxBytes' | 'pauseMilliseconds'>
  /** The keys that the operator shares with every organization. */
  sharedKeys: Config['sharedKeys']
  /** The sandbox for Python of agents; undefined where the settings name none, and on nodes that run no agents. */
  sandbox: Sandbox | undefined
  /** True if runs may be shared by links. */
  sharesRuns: boolean
  /** The limits of callers and organizations. */
  limits: Limits
  /** Streams, transfers, bodies and tests open on this node, shared fairly: `open.take(kind, subject)`. */
  open: OpenShares
  /** The request counts of callers. */
  rates: Rates
  adminEmails: readonly string[]
  mail: Mail
  serviceHealth: ServiceHealthReader
  /** The address of the service. */
  publicUrl: string
  /** The scope of cursors in lists of an organization. */
  listScope(organizationId: string): CursorScope
}
