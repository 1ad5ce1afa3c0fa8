import type { Config, Limits } from '../config/config.ts'
import type { Passwords } from '../features/accounts/auth/passwords.ts'
import type { RunFeeds } from '../features/agents/run-feeds/run-feeds.ts'
import type { RunBook } from '../features/agents/runs/run-book.ts'
import type { LiveTails } from '../features/kernel/live-tail/live-tail.ts'
import type { BrainLocks } from '../features/kernel/locks/locks.ts'
import type { BrainReads } from '../features/kernel/replica-reads/replica-reads.ts'
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
import type { CommitEngine } from '../features/writing/commit/commit-engine.ts'
import type { Clock } from '../shared/clock.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import type { Log } from '../shared/log.ts'
import type { Measures } from '../shared/measures.ts'
import type { Outbound } from '../shared/outbound/outbound.ts'
import type { SecretBox } from '../shared/secret-box.ts'
import type { Tracer } from '../shared/tracing/tracer.ts'
import type { Db, RunPrepared } from '../storage/database.ts'

/** What operations are given: made once in `app.ts`, passed by argument. */
export type AppDeps = {
  db: Db
  /** Connections that plan by keys: for statements that find every row by its key. */
  keyedDb: Db
  prepared: RunPrepared
  /** Reads of Brains that may be answered by replicas of the database. */
  brainReads: BrainReads
  clock: Clock
  log: Log
  topics: Topics
  measures: Measures
  /** Traces for the operator's collector; undefined where there is none. */
  tracer: Tracer | undefined
  /** Turns on Brains that are being changed. */
  brainLocks: BrainLocks
  commitEngine: CommitEngine
  /** What runs of agents have done, as it is stored. */
  runs: RunBook
  receipts: ReceiptWriter
  lexicalIndex: LexicalIndex
  schemas: SchemaCache
  liveTails: LiveTails
  runFeeds: RunFeeds
  passwords: Passwords
  outbound: Outbound
  /** Keeps the secrets that deliveries are signed with, and those of providers and connectors. */
  secretBox: SecretBox
  /** Search by meaning; undefined where the settings turn it off. */
  vectors: Vectors | undefined
  reranker: Reranker | undefined
  /** The keys that the operator shares with every organization. */
  sharedKeys: Config['sharedKeys']
  /** How much callers and organizations may have and do. */
  limits: Limits
  /** What is open on this node for a while, shared fairly: `open.take(kind, subject)`. */
  open: OpenShares
  /** How many requests callers sent. */
  rates: Rates
  adminEmails: readonly string[]
  mail: Mail
  serviceHealth: ServiceHealthReader
  /** Where the service is reached. */
  publicUrl: string
  /** What cursors of an organization's own lists are bound to. */
  listScope(organizationId: string): CursorScope
}
