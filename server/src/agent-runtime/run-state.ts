import type { AgentDefinition } from '@noema/contracts/agents.ts'
import type { MessagePart, MessageRole } from '@noema/contracts/messages.ts'
import type { RunPart } from '@noema/contracts/run-stream.ts'
import { createPartWriter, joinTexts, type PartWriter } from '../features/agents/parts/part-writer.ts'
import type { NewPart } from '../features/agents/parts/stored-parts.ts'
import type { NewTask, Settlement } from '../features/agents/runs/outcome-queries.ts'
import type { Journal } from '../features/agents/runs/run-queries.ts'
import type { RunStore } from '../features/agents/runs/run-store.ts'
import type { Ending, HeldRun, LeasedRun, Operation, StoredMessage } from '../features/agents/runs/types.ts'
import type { Clock } from '../shared/clock.ts'
import type { Topics } from '../shared/concurrency/topics.ts'
import { newId } from '../shared/ids.ts'
import type { Db } from '../storage/database.ts'

type Deps = { db: Db; clock: Clock; topics: Topics; runs: RunStore }

// PostgreSQL stores no character U+0000 and no half of a surrogate pair. Texts of models and tools may have them.

const isSuspect = /\\u0000|\\ud[89a-f]/i

const cleanText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** JSON as a reader takes it, each text of it cleaned. A name that is a text is cleaned, too. */
const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), clean(one)]))
}

/** A value of JSON as it can be stored: what cannot be in a text is replaced. */
const toStorable = <Value>(value: Value): Value =>
  isSuspect.test(JSON.stringify(value)) ? (clean(value) as Value) : value

/** Changes that cost nothing to repeat wait this long to be stored, unless others are stored before. */
const gatherMilliseconds = 50

const noUse = { inputTokens: 0, outputTokens: 0, costNanodollars: 0, isCostKnown: true, steps: 0 }

const blank = {
  ...{ attempt: 1, taskId: null, childRunId: null, callId: null, input: null, output: null, error: null, model: null },
  ...{ toolSourceKind: null, toolSourceId: null, toolName: null, toolSourceVersionId: null, toolSchemaHash: null },
  ...{ knowledgeReadSubject: null, brainHandle: null, receipt: null },
  ...{ change: null, inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheWriteTokens: null },
  ...{ reasoningTokens: null, costNanodollars: null, latencyMilliseconds: null, refusals: 0, completedAt: null },
} as const

type NewOperation = Pick<Operation, 'type' | 'name' | 'step'> & Partial<Operation>

/**
 * The state of a run that this node works on, and its changes since they were last stored. All changes are stored in one
 * transaction, and only while the node has the lease; a caller that learns that the lease is lost changes nothing more.
 */
export class RunState {
  readonly run: LeasedRun
  readonly held: HeldRun
  readonly definition: AgentDefinition
  readonly isArchived: boolean
  readonly earlier: Journal['earlier']
  readonly operations: Operation[]
  readonly messages: StoredMessage[]
  readonly writer: PartWriter
  /** The time since the run last waited for something: what it does without waiting is done at one time. */
  now: Date
  /** The time that the run had been active then. */
  activeMilliseconds: number
  total: typeof noUse
  /** Characters of JSON that its messages have. */
  messagesLength: number
  readonly #deps: Deps
  #begun: Operation[] = []
  #changed = new Set<Operation>()
  #said: StoredMessage[] = []
  #tasks: NewTask[] = []
  #expired: string[] = []
  #parts: NewPart[] = []
  #used = noUse
  #nextSequence: number
  readonly #activeBefore: number
  readonly #activeSince: number
  #storing: Promise<unknown> = Promise.resolve()
  #soon: NodeJS.Timeout | undefined
  /** Why storing in the background failed: nothing is stored after that. */
  #failure: { error: unknown } | undefined
  #isLost = false

  constructor(deps: Deps, run: LeasedRun, journal: Journal & { definition: AgentDefinition }) {
    this.#deps = deps
    this.run = run
    this.held = { organizationId: run.organization, id: run.id, lease: run.lease }
    this.definition = journal.definition
    this.isArchived = journal.isArchived
    this.earlier = journal.earlier
    this.operations = journal.operations
    this.messages = journal.messages
    this.messagesLength = JSON.stringify(journal.messages).length
    this.writer = createPartWriter(deps, this.held)
    const { inputTokens, outputTokens, costNanodollars, isCostKnown, steps } = run
    this.total = { inputTokens, outputTokens, costNanodollars, isCostKnown, steps }
    this.#nextSequence = run.nextSequence
    this.#activeBefore = run.activeMilliseconds
    this.activeMilliseconds = run.activeMilliseconds
    this.now = deps.clock.now()
    this.#activeSince = this.now.getTime()
  }

  /** Reads the clock, after the run has waited for something. */
  tick(): void {
    this.now = this.#deps.clock.now()
    this.activeMilliseconds = this.#activeBefore + Math.max(0, this.now.getTime() - this.#activeSince)
  }

  /** Begins an operation. One that is over at once is passed with its final status. */
  begin(given: NewOperation): Operation {
    const createdAt = this.now.toISOString()
    const operation: Operation = {
      ...blank,
      ...{ id: newId('opr', this.now), sequence: this.#nextSequence++, status: 'running', createdAt },
      ...{ producedMessageIds: [], consumedMessageIds: [] },
      ...given,
    }
    if (operation.status !== 'running') operation.completedAt = createdAt
    this.operations.push(operation)
    this.#begun.push(operation)
    return operation
  }

  /** Records an action of the service. */
  note(name: string, step: number): void {
    this.begin({ type: 'system_action', name, step, status: 'succeeded' })
  }

  /** Changes an operation of the journal. */
  change(operation: Operation, changes: Partial<Operation>): void {
    Object.assign(operation, changes)
    if (!this.#begun.includes(operation)) this.#changed.add(operation)
  }

  /** Ends an operation. */
  close(operation: Operation, changes: Partial<Operation> & { status: 'succeeded' | 'failed' }): void {
    const latencyMilliseconds = Math.max(0, this.now.getTime() - Date.parse(operation.createdAt))
    this.change(operation, { latencyMilliseconds, completedAt: this.now.toISOString(), ...changes })
  }

  /** Adds a message. */
  say(role: MessageRole, parts: readonly MessagePart[], operationId: string): StoredMessage {
    const text = parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
    const position = (this.messages.at(-1)?.position ?? 0) + 1
    const createdAt = this.now.toISOString()
    const message = { id: newId('msg', this.now), position, role, parts: [...parts], text, operationId, createdAt }
    this.messages.push(message)
    this.#said.push(message)
    this.messagesLength += JSON.stringify(parts).length
    return message
  }

  ask(task: NewTask): void {
    this.#tasks.push(task)
  }

  expire(taskId: string): void {
    this.#expired.push(taskId)
  }

  /** Adds parts to the stream, which are stored with the next changes. */
  stream(parts: readonly RunPart[]): void {
    for (const part of parts) this.#parts.push({ part })
  }

  /**
   * Adds to the stream what an operation says while it goes on. It is stored within a moment, together with the operation if
   * that is not stored yet. False if the run has lost its lease.
   */
  write(operationId: string, parts: readonly RunPart[]): Promise<boolean> | true {
    if (!this.#begun.some(({ id }) => id === operationId)) return this.writer.write(operationId, parts)
    for (const part of parts) this.#parts.push({ operationId, part })
    return true
  }

  /** Adds to what the run has used. */
  use(used: Partial<typeof noUse>): void {
    const add = (before: typeof noUse) => ({
      inputTokens: before.inputTokens + (used.inputTokens ?? 0),
      outputTokens: before.outputTokens + (used.outputTokens ?? 0),
      costNanodollars: before.costNanodollars + (used.costNanodollars ?? 0),
      isCostKnown: before.isCostKnown && (used.isCostKnown ?? true),
      steps: before.steps + (used.steps ?? 0),
    })
    this.#used = add(this.#used)
    this.total = add(this.total)
  }

  async #take(release?: Settlement['release']): Promise<Settlement> {
    const parts = [...(await this.writer.take()), ...joinTexts(this.#parts)]
    this.tick()
    // Copies: changes that are made meanwhile are stored with the next ones.
    const copy = (operation: Operation): Operation => ({ ...operation })
    const settlement = toStorable({
      run: this.held,
      used: this.#used,
      nextSequence: this.#nextSequence,
      begun: this.#begun.map(copy),
      changed: [...this.#changed].map(copy),
      messages: this.#said,
      tasks: this.#tasks,
      expiredTasks: this.#expired,
      parts: parts.map(({ operationId, part }) => ({ operationId: operationId ?? null, part: JSON.stringify(part) })),
    })
    this.#parts = []
    this.#begun = []
    this.#changed = new Set()
    this.#said = []
    this.#tasks = []
    this.#expired = []
    this.#used = noUse
    return { ...settlement, now: this.now, ...(release ? { release } : {}) }
  }

  /** Stores changes one after the other: one statement cannot hold two batches of a run. */
  #store(store: () => Promise<boolean>): Promise<boolean> {
    this.stop()
    const stored = this.#storing.then(async () => {
      if (this.#failure) throw this.#failure.error
      return !this.#isLost && store()
    })
    this.#storing = stored.catch(() => undefined)
    return stored
  }

  /** Stores changes within a moment, or with the next ones: for changes that cost nothing to repeat. */
  storeSoon(): void {
    this.#soon ??= setTimeout(async () => {
      try {
        this.#isLost = !(await this.storeOutcome())
      } catch (error) {
        this.#failure = { error }
      }
    }, gatherMilliseconds)
  }

  /** Cancels storing in the background. */
  stop(): void {
    clearTimeout(this.#soon)
    this.#soon = undefined
  }

  /** Stores the changes. False if the run has lost its lease. */
  storeOutcome(release?: Settlement['release']): Promise<boolean> {
    return this.#store(async () => this.#deps.runs.storeOutcome(await this.#take(release)))
  }

  /** True if no other run waits for this one or ends with it. An interrupted call may have started a run. */
  #isAlone(): boolean {
    const { parentRunId, conversationId } = this.run
    const isClosed = ({ childRunId, attempt, taskId, status }: Operation) =>
      childRunId === null && attempt === 1 && (taskId === null || status !== 'running')
    return parentRunId === null && conversationId === null && this.operations.every(isClosed)
  }

  /** Ends the run, and stores the changes. */
  end(ending: Ending): Promise<boolean> {
    const { organizationId, id, lease } = this.held
    return this.#store(async () =>
      this.#deps.runs.end({
        ...{ organizationId, id, lease },
        ending: toStorable(ending),
        settlement: await this.#take(),
        ...(this.#isAlone() ? { alone: { hasSteps: this.total.steps > 0 } } : {}),
      }),
    )
  }

  /** Stores the changes, and lets the run wait for its open operations. */
  async park(): Promise<void> {
    if (await this.storeOutcome()) await this.#deps.runs.park(this.held)
  }
}
