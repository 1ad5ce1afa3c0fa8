import type { RawBuilder } from 'kysely'
import { type UndoLog, UndoMap } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { PendingRows } from './pending-rows.ts'
import type { Version } from './types.ts'
import type { VersionTable } from './version-store.ts'

/** The change that ends a version. */
type Ending = { stateVersion: number; at: string; change: string }

/** An item before and after a version of it was made or ended; undefined where it is not there. */
type Move<Item> = { before: Item | undefined; after: Item | undefined }

type Kind<Row extends Version, New extends Row> = {
  table: VersionTable<Row, New>
  liveKey(version: Row): string | null
}

/** The items of one kind that a commit batch touches, each by its newest version, and what the changes make of them. */
export class VersionWrites<Row extends Version = Version, New extends Row = Row> {
  /** Every step from one version to the next, in order: what is kept beside the content follows from them. */
  readonly moves: Move<Row['content']>[] = []
  readonly #undo: UndoLog
  readonly #kind: Kind<Row, New>
  readonly #newest: UndoMap<string, Row>
  readonly #holders: UndoMap<string, string | null>
  readonly #rows: PendingRows<Row, New>

  constructor(undo: UndoLog, kind: Kind<Row, New>) {
    this.#undo = undo
    this.#kind = kind
    this.#newest = new UndoMap(undo)
    this.#holders = new UndoMap(undo)
    this.#rows = new PendingRows(undo, kind.table.rows)
  }

  /** The newest version of an item, which has ended where the item is gone. */
  newest(id: string): Row | undefined {
    return this.#newest.get(id)
  }

  /** The version of an item that is live. */
  current(id: string): Row | undefined {
    const newest = this.#newest.get(id)
    return newest?.toState === null ? newest : undefined
  }

  /** The live item that holds a key. */
  holder(key: string): string | undefined {
    return this.#holders.get(key) ?? undefined
  }

  /** The live ones of all items that were read or made. */
  live(): Row[] {
    return [...this.#newest.values()].filter(({ toState }) => toState === null)
  }

  /** Takes in a version that the database holds. */
  know(version: Row): void {
    this.#newest.know(version.id, version)
    const key = version.toState === null ? this.#kind.liveKey(version) : null
    if (key !== null) this.#holders.know(key, version.id)
  }

  /** Takes in who holds a key. */
  knowHolder(key: string, id: string): void {
    this.#holders.know(key, id)
  }

  /** Makes a new current version and ends the one before. */
  put(version: New, ending: Ending): void {
    const before = this.current(version.id)
    if (before) this.#close(before, ending)
    this.#newest.set(version.id, version)
    this.#rows.make(nameOf(version), version)
    const key = this.#kind.liveKey(version)
    if (key !== null) this.#holders.set(key, version.id)
    this.#note({ before: before?.content, after: version.content })
  }

  /** Ends a current version that no other follows. `as` tells more of that. */
  end(current: Row, ending: Ending, as: Partial<Row>): Row {
    const ended = this.#close(current, ending, as)
    this.#note({ before: current.content, after: undefined })
    return ended
  }

  get hasEnds(): boolean {
    return this.#rows.hasEnds
  }

  writeEnds(tx: Queryable, brainId: number): Promise<void> {
    return this.#rows.writeEnds(tx, brainId)
  }

  inserts(brainId: number): RawBuilder<unknown>[] {
    return this.#rows.inserts(brainId)
  }

  #close(current: Row, { stateVersion, at, change }: Ending, as?: Partial<Row>): Row {
    const end = { ...as, toState: stateVersion, endedAt: at, endedChange: change }
    const ended = { ...current, ...end }
    this.#newest.set(current.id, ended)
    const name = nameOf(current)
    const made = this.#rows.made(name)
    // One that this batch made is inserted as ended; one that the database holds is updated.
    if (made) this.#rows.make(name, { ...made, ...end })
    else this.#rows.end(name, ended)
    const key = this.#kind.liveKey(current)
    if (key !== null && this.#holders.get(key) === current.id) this.#holders.set(key, null)
    return ended
  }

  #note(move: Move<Row['content']>): void {
    this.moves.push(move)
    this.#undo.note(() => this.moves.pop())
  }
}

const nameOf = ({ id, version }: Version) => `${version} ${id}`
