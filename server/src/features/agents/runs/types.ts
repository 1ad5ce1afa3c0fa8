import type { MessagePart, MessageRole } from '@noema/contracts/messages.ts'
import type { FailureCategory, RunState } from '@noema/contracts/runs.ts'
import type { Actor } from '../../../shared/actor.ts'
import type { LeasedRow } from '../../../shared/concurrency/leased-work.ts'
import type { Json } from '../../../shared/text/json.ts'

// A run as its tables hold it. Costs are whole billionths of a dollar.

/** Which run. */
export type RunKey = { organizationId: string; id: string }

/** A run under a lease: without the lease nothing of the run can be stored. */
export type HeldRun = RunKey & { lease: string }

/** The row of a run. */
export type RunRow = RunKey & {
  agentId: string
  agentVersion: number
  projectId: string
  conversationId: string | null
  state: RunState
  input: Json
  metadata: { [name: string]: unknown } | null
  output: unknown
  failureReason: string | null
  failureCategory: FailureCategory | null
  abandonReason: string | null
  inputTokens: number
  outputTokens: number
  costNanodollars: number
  isCostKnown: boolean
  startedBy: Actor
  triggerId: string | null
  triggerCursor: string | null
  scheduleId: string | null
  parentRunId: string | null
  /** The name of a run without an agent. */
  flow: string | null
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
}

/** A run that this node works on. */
export type LeasedRun = LeasedRow & {
  id: string
  agentId: string
  agentVersion: number
  projectId: string
  conversationId: string | null
  brainHandle: string | null
  startedBy: Actor
  traceparent: string | null
  parentRunId: string | null
  parentOperationId: string | null
  depth: number
  lineage: string[]
  inputTokens: number
  outputTokens: number
  costNanodollars: number
  isCostKnown: boolean
  steps: number
  nextSequence: number
  activeMilliseconds: number
  /** Leases that ended without an outcome since the last operation ended. */
  failures: number
}

type OperationType = 'llm_call' | 'tool_call' | 'system_action'
type OperationStatus = 'running' | 'succeeded' | 'failed' | 'abandoned'

/** Tokens of one call of a model, as its provider counted them. */
type TokenCounts = {
  inputTokens: number | null
  outputTokens: number | null
  cacheReadTokens: number | null
  cacheWriteTokens: number | null
  reasoningTokens: number | null
}

/** An operation of a run's journal. */
export type Operation = TokenCounts & {
  id: string
  sequence: number
  step: number
  type: OperationType
  name: string
  status: OperationStatus
  attempt: number
  taskId: string | null
  childRunId: string | null
  callId: string | null
  input: unknown
  output: unknown
  error: string | null
  model: string | null
  toolSourceKind: string | null
  toolSourceId: string | null
  toolName: string | null
  toolSourceVersionId: string | null
  toolSchemaHash: string | null
  knowledgeReadSubject: string | null
  brainHandle: string | null
  receipt: string | null
  change: string | null
  costNanodollars: number | null
  latencyMilliseconds: number | null
  producedMessageIds: string[]
  consumedMessageIds: string[]
  refusals: number
  createdAt: string
  completedAt: string | null
}

/** A message of a run, as it is kept. */
export type StoredMessage = {
  id: string
  position: number
  role: MessageRole
  parts: MessagePart[]
  text: string
  operationId: string | null
  createdAt: string
}

/** The end of a run. */
export type Ending =
  | { state: 'completed'; output: unknown }
  | { state: 'failed'; category: FailureCategory; reason: string }
  | { state: 'abandoned'; reason: string }

/** Operations of a run that ended, and if the run itself did: listeners on this node hear of them after the commit. */
export type RunsNews = {
  organizationId: string
  runId: string
  operationIds: readonly string[]
  isRunOver: boolean
  /** The goal that a run which ended was an attempt of, or judged one of. */
  goalId?: string
}
