import type { NewEvent } from '@noema/contracts/events.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Topic } from '../../../shared/concurrency/topics.ts'
import { type ApiError, notFound } from '../../../shared/errors.ts'
import { putBack, type UndoLog } from '../../../shared/undo.ts'
import type { Tx } from '../../../storage/database.ts'
import type { Statement } from '../../../storage/statements.ts'
import { checkUsage, noUsage } from '../../kernel/usage/usage.ts'
import type { Usage } from '../../kernel/usage/usage-queries.ts'
import type { ContentWrites } from '../../knowledge/content/content.ts'
import type { StoredChange } from './change-store.ts'
import type { LockedBrain } from './commit-queries.ts'

/** Checks whether a change is one of the schema. All its items then are. */
export const isSchemaChange = ({ items }: Pick<StoredChange, 'items'>): boolean =>
  items.some(({ evolve }) => evolve !== undefined)

/**
 * The effects of a commit batch's requests so far, in memory, on top of the Brain as the batch found it. Each request works on
 * it in turn; one that throws is rolled back and leaves no trace.
 */
export class CommitBatch {
  readonly brain: LockedBrain
  readonly now: Date
  readonly content: ContentWrites
  readonly events: NewEvent[] = []
  /** Statements of features above this one, run as parts of the one that commits the batch: each touches rows of its own. */
  readonly statements: Statement[] = []
  /** Steps that run in the batch's transaction before it is committed. */
  readonly steps: ((tx: Tx) => Promise<void>)[] = []
  /** Topics that are published after the commit, besides the Brain's. */
  readonly topics: Topic[] = []
  readonly madeChanges = new Map<string, StoredChange>()
  readonly updatedChanges = new Map<string, StoredChange>()
  /** The span, packed, of the request that runs now, where it is traced. */
  trace: Buffer | undefined
  /** True if the current request can be repeated on the worker for large requests. */
  mayMove = false
  /** The refusal of a request whose content was too much to be read. It is the only one of its batch. */
  refusal: ApiError | undefined
  readonly undo: UndoLog
  /** The Brain's state after the requests so far. */
  stateVersion: number
  /** The number of pending changes that it adds to those of the Brain. */
  addedPending = 0
  /** The usage that counts against the daily limit. */
  spent: Usage = noUsage
  readonly #known = new Map<string, StoredChange>()
  /** The pending changes, by the hashes of the writes that staged them. */
  readonly #waiting = new Map<string, string>()

  constructor(brain: LockedBrain, now: Date, content: ContentWrites, changes: readonly StoredChange[]) {
    this.brain = brain
    this.now = now
    this.content = content
    this.stateVersion = brain.stateVersion
    this.undo = content.undo
    for (const change of changes) {
      this.#known.set(change.id, change)
      if (change.writeHash) this.#waiting.set(change.writeHash, change.id)
    }
  }

  /** The pending change that an equal write of the same caller staged. */
  findWaiting(writeHash: string): StoredChange | undefined {
    const change = this.#known.get(this.#waiting.get(writeHash) ?? '')
    return change?.decision === 'pending' ? change : undefined
  }

  /** A change that a request named; undefined where the Brain has none. */
  findChange(id: string): StoredChange | undefined {
    return this.#known.get(id)
  }

  /** A change of this Brain that a request named. */
  change(id: string): StoredChange {
    const change = this.#known.get(id)
    if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
    return change
  }

  /** Stores a new change, or the new state of one. */
  putChange(change: StoredChange): void {
    const { id } = change
    const known = this.#known.get(id)
    const changes = !known || this.madeChanges.has(id) ? this.madeChanges : this.updatedChanges
    const before = changes.get(id)
    const added = Number(change.decision === 'pending') - Number(known?.decision === 'pending')
    const { writeHash } = change
    const waiting = writeHash ? this.#waiting.get(writeHash) : undefined
    this.#known.set(id, change)
    changes.set(id, this.trace ? { ...change, trace: this.trace.toString('hex') } : change)
    if (writeHash) this.#waiting.set(writeHash, id)
    this.addedPending += added
    this.undo.push(() => {
      this.addedPending -= added
      if (writeHash) putBack(this.#waiting, writeHash, waiting)
      putBack(this.#known, id, known)
      putBack(changes, id, before)
    })
  }

  /** Moves the Brain to its next state, which these events report. */
  advance(events: readonly NewEvent[]): void {
    this.stateVersion += 1
    this.undo.push(() => {
      this.stateVersion -= 1
    })
    this.emit(...events)
  }

  emit(...events: readonly NewEvent[]): void {
    this.#add(this.events, events)
  }

  /** Adds statements to the one that commits the batch. */
  write(...statements: readonly Statement[]): void {
    this.#add(this.statements, statements)
  }

  /** Publishes a topic after the commit. */
  publish(topic: Topic): void {
    this.#add(this.topics, [topic])
  }

  /** Adds a step before the commit, for work that one statement cannot do. */
  beforeCommit(step: (tx: Tx) => Promise<void>): void {
    this.#add(this.steps, [step])
  }

  /** Counts against the daily limit. */
  spend(more: Usage, caps: Caps): void {
    const { spent, brain, now } = this
    const used = { writes: brain.used.writes + spent.writes, bytes: brain.used.bytes + spent.bytes }
    checkUsage(caps, { used, more, now })
    this.spent = { writes: spent.writes + more.writes, bytes: spent.bytes + more.bytes }
    this.undo.push(() => {
      this.spent = spent
    })
  }

  #add<Item>(list: Item[], items: readonly Item[]): void {
    list.push(...items)
    this.undo.push(() => {
      list.length -= items.length
    })
  }
}
