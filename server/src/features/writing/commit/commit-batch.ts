import type { NewEvent } from '@noema/contracts/events.ts'
import type { Caps } from '../../../config/tiers.ts'
import type { Topic } from '../../../shared/concurrency/topics.ts'
import { notFound } from '../../../shared/errors.ts'
import { putBack, type UndoLog } from '../../../shared/undo.ts'
import type { Tx } from '../../../storage/database.ts'
import type { Statement } from '../../../storage/statements.ts'
import type { BrainCounts } from '../../kernel/counts/counts.ts'
import { checkUsage, noUsage } from '../../kernel/usage/usage.ts'
import type { Usage } from '../../kernel/usage/usage-queries.ts'
import type { ContentWrites } from '../../knowledge/content/content.ts'
import type { StoredChange } from './change-store.ts'
import type { LockedBrain } from './commit-queries.ts'

/** How many more things there are after some moves. */
const countMoves = (moves: readonly { before: unknown; after: unknown }[]): number =>
  moves.reduce((sum, { before, after }) => sum + Number(after !== undefined) - Number(before !== undefined), 0)

/**
 * What the requests of a commit batch have done so far, in memory, on top of what the database held when the Brain was
 * locked. Each request works on it in turn; one that throws is rolled back and leaves no trace.
 */
export class CommitBatch {
  readonly brain: LockedBrain
  readonly now: Date
  readonly content: ContentWrites
  readonly events: NewEvent[] = []
  /** What features above this one write in the statement that lands the batch: each touches rows of its own. */
  readonly statements: Statement[] = []
  /** What is done in the batch's transaction before it lands. */
  readonly steps: ((tx: Tx) => Promise<void>)[] = []
  /** What is published after the commit, beside the Brain. */
  readonly topics: Topic[] = []
  readonly madeChanges = new Map<string, StoredChange>()
  readonly updatedChanges = new Map<string, StoredChange>()
  /** The span, packed, of the request whose turn it is, where it is traced. */
  trace: Buffer | undefined
  readonly undo: UndoLog
  /** The state that the Brain is in after what was done so far. */
  stateVersion: number
  /** What was counted against what may be written today. */
  spent: Usage = noUsage
  readonly #known = new Map<string, StoredChange>()
  readonly #pendingBefore = new Set<string>()
  /** The changes that wait, by the hashes of the writes that staged them. */
  readonly #waiting = new Map<string, string>()

  constructor(brain: LockedBrain, now: Date, content: ContentWrites, changes: readonly StoredChange[]) {
    this.brain = brain
    this.now = now
    this.content = content
    this.stateVersion = brain.stateVersion
    this.undo = content.undo
    for (const change of changes) {
      if (change.decision === 'pending') this.#pendingBefore.add(change.id)
      this.#known.set(change.id, change)
      if (change.writeHash) this.#waiting.set(change.writeHash, change.id)
    }
  }

  /** By how much the Brain holds more of everything than before. */
  countAdded(): BrainCounts {
    const { record, statement, document } = this.content
    return {
      records: countMoves(record.moves),
      statements: countMoves(statement.moves),
      documents: countMoves(document.moves),
      pendingChanges: [...this.madeChanges.values(), ...this.updatedChanges.values()].reduce(
        (sum, { id, decision }) => sum + Number(decision === 'pending') - Number(this.#pendingBefore.has(id)),
        0,
      ),
    }
  }

  /** The change that an equal write of the same caller staged, while it waits for its decision. */
  findWaiting(writeHash: string): StoredChange | undefined {
    const change = this.#known.get(this.#waiting.get(writeHash) ?? '')
    return change?.decision === 'pending' ? change : undefined
  }

  /** A change that a request named, where the Brain has it. */
  findChange(id: string): StoredChange | undefined {
    return this.#known.get(id)
  }

  /** A change of this Brain that a request named. */
  change(id: string): StoredChange {
    const change = this.#known.get(id)
    if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
    return change
  }

  /** Keeps a new change, or what became of one. */
  putChange(change: StoredChange): void {
    const { id } = change
    const known = this.#known.get(id)
    const changes = !known || this.madeChanges.has(id) ? this.madeChanges : this.updatedChanges
    const before = changes.get(id)
    const { writeHash } = change
    const waiting = writeHash ? this.#waiting.get(writeHash) : undefined
    this.#known.set(id, change)
    changes.set(id, this.trace ? { ...change, trace: this.trace.toString('hex') } : change)
    if (writeHash) this.#waiting.set(writeHash, id)
    this.undo.push(() => {
      if (writeHash) putBack(this.#waiting, writeHash, waiting)
      putBack(this.#known, id, known)
      putBack(changes, id, before)
    })
  }

  /** Takes the next state of the Brain, which these events tell of. */
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

  /** Writes beside the content, in the statement that lands the batch. */
  write(...statements: readonly Statement[]): void {
    this.#add(this.statements, statements)
  }

  /** Publishes a topic after the commit. */
  publish(topic: Topic): void {
    this.#add(this.topics, [topic])
  }

  /** Has something done in the batch's transaction before it lands, where one statement cannot do it. */
  beforeLanding(step: (tx: Tx) => Promise<void>): void {
    this.#add(this.steps, [step])
  }

  /** Counts against what may be written today. */
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
