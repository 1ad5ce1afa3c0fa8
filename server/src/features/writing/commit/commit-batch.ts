import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import type { Caps } from '../../../config.ts'
import { notFound } from '../../../shared/errors.ts'
import type { Topic } from '../../../shared/topics.ts'
import { UndoLog, UndoMap } from '../../../shared/undo.ts'
import { checkDailyWrites } from '../../brain/brains/brains.ts'
import type { BaseVersions } from '../review/conflicts.ts'
import type { StoredChange } from './change-store.ts'
import type { LockedBrain } from './queries.ts'
import type { ContentWrites } from './write-set.ts'

type Loaded = {
  content: ContentWrites
  changes: readonly StoredChange[]
  bases: BaseVersions
  duplicates: ReadonlyMap<string, number> | undefined
}

/**
 * What a batch of requests has done so far, in memory, on top of what the database held when the Brain was locked.
 * Each request works on it in turn; one that throws is rolled back and leaves no trace.
 */
export class CommitBatch {
  readonly brain: LockedBrain
  readonly now: Date
  readonly content: ContentWrites
  /** The versions that changes were proposed on, where those are not current any more. */
  readonly bases: BaseVersions
  /** By item of a schema change: how many records stand in the way of a field that it makes unique. */
  readonly duplicates: ReadonlyMap<string, number> | undefined
  readonly events: NewEvent[] = []
  /** What features above this one write in the same statement: each touches rows of its own. */
  readonly statements: RawBuilder<unknown>[] = []
  /** What is published after the commit, beside the Brain. */
  readonly topics: Topic[] = []
  // Not the log of the content, which may be taken back alone.
  readonly #undo = new UndoLog()
  readonly #known = new UndoMap<string, StoredChange>(this.#undo)
  readonly #made = new UndoMap<string, StoredChange>(this.#undo)
  readonly #updated = new UndoMap<string, StoredChange>(this.#undo)
  #stateVersion: number
  #writes = 0
  #kept: { stateVersion: number; writes: number; events: number; statements: number; topics: number }

  constructor(brain: LockedBrain, now: Date, { content, changes, bases, duplicates }: Loaded) {
    this.brain = brain
    this.now = now
    this.content = content
    this.bases = bases
    this.duplicates = duplicates
    this.#stateVersion = brain.stateVersion
    for (const change of changes) this.#known.know(change.id, change)
    this.#kept = { stateVersion: brain.stateVersion, writes: 0, events: 0, statements: 0, topics: 0 }
  }

  /** The state that the Brain is in after what was done so far. */
  get stateVersion(): number {
    return this.#stateVersion
  }

  get writes(): number {
    return this.#writes
  }

  get madeChanges(): StoredChange[] {
    return [...this.#made.values()]
  }

  get updatedChanges(): StoredChange[] {
    return [...this.#updated.values()]
  }

  /** A change of this Brain that the request named. */
  change(id: string): StoredChange {
    const change = this.#known.get(id)
    if (!change) throw notFound(`There is no change ${JSON.stringify(id)} in this Brain.`)
    return change
  }

  /** Keeps a new change, or what became of one. */
  putChange(change: StoredChange): void {
    const isNew = this.#made.get(change.id) !== undefined || this.#known.get(change.id) === undefined
    const shelf = isNew ? this.#made : this.#updated
    this.#known.set(change.id, change)
    shelf.set(change.id, change)
  }

  emit(...events: readonly NewEvent[]): void {
    this.events.push(...events)
  }

  /** Writes beside the content, in the statement that lands the batch. */
  write(...statements: readonly RawBuilder<unknown>[]): void {
    this.statements.push(...statements)
  }

  /** Publishes a topic after the commit. */
  publish(topic: Topic): void {
    this.topics.push(topic)
  }

  /** Takes the next state of the Brain. */
  advance(): number {
    this.#stateVersion += 1
    return this.#stateVersion
  }

  /** Counts operations against what the organization may write today. */
  spend(operations: number, caps: Caps): void {
    const spent = this.brain.organizationWrites + this.brain.writesToday + this.#writes
    checkDailyWrites(caps, { spent, operations, now: this.now })
    this.#writes += operations
  }

  keep(): void {
    this.content.undo.keep()
    this.#undo.keep()
    this.#kept = {
      stateVersion: this.#stateVersion,
      writes: this.#writes,
      events: this.events.length,
      statements: this.statements.length,
      topics: this.topics.length,
    }
  }

  rollBack(): void {
    this.content.undo.rollBack()
    this.#undo.rollBack()
    this.#stateVersion = this.#kept.stateVersion
    this.#writes = this.#kept.writes
    this.events.length = this.#kept.events
    this.statements.length = this.#kept.statements
    this.topics.length = this.#kept.topics
  }
}
