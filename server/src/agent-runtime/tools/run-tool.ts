import type { JSONSchema7 } from '@ai-sdk/provider'
import type { ReadSubject } from '../../api/tools/reads.ts'
import type { WritePrecondition } from '../../features/writing/commit/write-request.ts'
import { ApiError } from '../../shared/errors.ts'
import { readServiceVersion } from '../../shared/service-version.ts'

// The tools of a run: one list for our own, those of connectors, people and other agents.

/** The context of a call of a tool, next to its arguments. */
export type ToolContext = {
  /** The operation in the run's journal, which is the idempotency key of what it writes. */
  operationId: string
  /** When the operation began, however often its call is repeated. */
  begunAt: Date
  /** Aborts when the run ends or its node loses it. */
  signal: AbortSignal
  /** True for the last attempt: the model sees its refusal. */
  isLastTry: boolean
  /** Throws `run_ended` if the run has lost the lease under which the call was begun. */
  guard: WritePrecondition
}

/** The result of a call of a tool. The model sees `output`, which is bounded. */
export type ToolOutcome = {
  output: unknown
  isError: boolean
  /** The receipt of what it read, and the change that it wrote. */
  receipt?: string
  change?: string
  /** The subject that it read, if the call says more than the tool alone. */
  subject?: ReadSubject
  /** The Brain that it reached, by the handle that it has now. */
  brainHandle?: string
  /** The version of its source, if the call decides that. */
  sourceVersionId?: string
}

/** The source of a tool: `toolSource…` of activity. `toolName` is its own name, whatever the model calls it. */
type ToolSource = { kind: 'builtin' | 'connector' | 'skill'; id: string; toolName: string; versionId?: string }

/** The source of a tool that this service brings along. */
export const toBuiltinSource = (toolName: string): ToolSource => ({
  ...{ kind: 'builtin', id: 'noema', toolName, versionId: readServiceVersion() },
})

/** A tool that an agent's version names was deleted or archived: the run fails. */
export class ToolGone extends ApiError {
  constructor(message: string) {
    super('not_found', message)
    this.name = 'ToolGone'
  }
}

/** A tool of one run. */
export type RunTool = {
  name: string
  description: string
  /** The arguments as the model sees them. */
  inputSchema: JSONSchema7
  /** The result, where the tool declares it. */
  outputSchema?: JSONSchema7
  source: ToolSource
  /** The id of the source of one call, if its arguments decide that. */
  toSourceId?(input: unknown): string | undefined
  /** The text that the model gets with its instructions. */
  prompt?: string
  /** True if an interrupted call may simply be made again, as ours may: the operation's id is their idempotency key. */
  isRepeatable: boolean
  /** True if it only reads, so that a call without an outcome had no effect. */
  isRead?: boolean
  /** The subject of a read: `knowledgeReadSubject` of activity. */
  subject?: ReadSubject
} & (
  | { kind: 'call'; call(input: unknown, context: ToolContext): Promise<ToolOutcome> }
  | { kind: 'ask_human' }
  | { kind: 'agent'; agentId: string }
)
