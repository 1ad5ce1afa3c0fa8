import type { JSONSchema7 } from '@ai-sdk/provider'
import type { ReadSubject } from '../../api/tools/reads.ts'
import type { WritePrecondition } from '../../features/writing/commit/write-request.ts'
import { ApiError } from '../../shared/errors.ts'

// What a run may call, as its turn sees it: one list for our own tools, those of other servers, people and other agents.

/** What a call of a tool is made with, beside its arguments. */
export type ToolContext = {
  /** The operation in the run's journal, which is the idempotency key of what it writes. */
  operationId: string
  /** Aborts when the run ends or its node loses it. */
  signal: AbortSignal
  /** Whether the call is not made again if it is refused for the moment: the model sees the refusal. */
  isLastTry: boolean
  /** Throws `run_ended` where the lease under which the call was begun does not stand any more. */
  guard: WritePrecondition
}

/** What a call of a tool came to. `output` is what a model is shown, bounded. */
export type ToolOutcome = {
  output: unknown
  isError: boolean
  /** The receipt of what it read, and the change that it wrote. */
  receipt?: string
  change?: string
  /** What it read of, where that is said better than by the tool alone. */
  subject?: ReadSubject
  /** The Brain that it reached, by the handle that it has now. */
  brainHandle?: string
}

/** Where a tool comes from: `toolSource…` of activity. `toolName` is its own name, by whatever name the model calls it. */
type ToolSource = { kind: 'builtin' | 'connector'; id: string; toolName: string; versionId?: string }

/** That something which an agent's version names as a tool is not there any more: its runs fail by it. */
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
  /** The arguments, as the model is told of them. */
  inputSchema: JSONSchema7
  /** The result, where the tool declares it. */
  outputSchema?: JSONSchema7
  source: ToolSource
  /** Whether an interrupted call may simply be made again, as ours may: the operation's id is their idempotency key. */
  isRepeatable: boolean
  /** Whether it only reads, so that a call that nobody knows of was none. */
  isRead?: boolean
  /** What a read is about: `knowledgeReadSubject` of activity. */
  subject?: ReadSubject
} & (
  | { kind: 'call'; call(input: unknown, context: ToolContext): Promise<ToolOutcome> }
  | { kind: 'ask_human' }
  | { kind: 'agent'; agentId: string }
)
