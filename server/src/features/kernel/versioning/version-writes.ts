import { putBack, type UndoLog } from '../../../shared/undo.ts'
import type { RowChanges } from './pending-rows.ts'
import type { Version, VersionTable } from './types.ts'

/** The change that ends a version. */
type Ending = { stateVersion: number; at: string; change: string }

/** An item before and after a version of it was made or ended; undefined where it does not exist. */
type Move<Item> = { before: Item | undefined; after: Item | undefined }

/** An item that a batch touches: its newest version in the database, which the batch may end, and those that it makes. */
type Touched<Row, New> = { stored: Row | undefined; isEnded: boolean; made: New[]; key: string | null }

/** An item in a batch: its newest stored version, whether the batch ended that, and the versions that the batch made, in order. */
export type History<Row> = {
  readonly stored: Row | undefined
  readonly isEnded: boolean
  readonly made: readonly Row[]
}

/** The items of one kind that a commit batch touches, each by its newest version, with the changes to them. */
export class VersionWrites<Row extends Version = Version, New extends Row = Row> {
  /** Every step from one version to the next, in order: indexes and reminders follow from them. */
  readonly moves: Move<Row['content']>[] = []
  /** The number of live items that it adds. */
  added = 0
  readonly #undo: UndoLog
  readonly #table: VersionTable<Row, New>
  readonly #items = new Map<string, Touched<Row, New>>()
  readonly #holders = new Map<string, string | null>()
  readonly #live = new Set<string>()

  constructor(undo: UndoLog, table: VersionTable<Row, New>) {
    this.#undo = undo
    this.#table = table
  }

  /** The newest version of an item; of a deleted item it has ended. */
  newest(id: string): Row | undefined {
    const item = this.#items.get(id)
    return item?.made.at(-1) ?? item?.stored
  }

  /** The live version of an item. */
  current(id: string): Row | undefined {
    const newest = this.newest(id)
    return newest?.toState === null ? newest : undefined
  }

  /** Checks whether an item that was read, made or referenced is live. */
  isLive(id: string): boolean {
    return this.#items.has(id) ? this.current(id) !== undefined : this.#live.has(id)
  }

  /** Adds items that are referred to and live. */
  addLive(ids: Iterable<string>): void {
    for (const id of ids) this.#live.add(id)
  }

  /** The live item that holds a key. */
  holder(key: string): string | undefined {
    return this.#holders.get(key) ?? undefined
  }

  /** The live versions of all items that were read or made. */
  live(): Row[] {
    return [...this.#items.keys()].flatMap((id) => this.current(id) ?? [])
  }

  /** Adds a stored version, with the key that only one live item may hold. */
  add(stored: Row, key: string | null): void {
    const { id, toState } = stored
    const held = toState === null ? key : null
    this.#items.set(id, { stored, isEnded: false, made: [], key: held })
    if (held !== null) this.#holders.set(held, id)
  }

  /** Adds the holder of a key. */
  addHolder(key: string, id: string): void {
    this.#holders.set(key, id)
  }

  /** Makes a new current version, the only holder of a key, and ends the one before. */
  put(version: New, key: string | null, ending: Ending): void {
    const { id } = version
    const item: Touched<Row, New> = this.#items.get(id) ?? { stored: undefined, isEnded: false, made: [], key: null }
    const before = this.current(id)
    if (before) this.#close(item, before, ending)
    this.#items.set(id, item)
    item.made.push(version)
    this.#undo.push(() => item.made.pop())
    this.#hold(item, id, key)
    this.#record({ before: before?.content, after: version.content })
  }

  /** Ends a current version that no other follows; `as` adds more columns. */
  end(current: Row, ending: Ending, as: Partial<Row>): Row {
    const item = this.#items.get(current.id)
    if (!item) throw new Error(`The item ${current.id} was ended before it was read.`)
    const ended = this.#close(item, current, ending, as)
    this.#record({ before: current.content, after: undefined })
    return ended
  }

  /** The rows to write; undefined if no version was made or ended. */
  changes(): RowChanges<Row, New> | undefined {
    if (this.moves.length === 0) return undefined
    const items = [...this.#items.values()]
    return {
      statements: this.#table.rows,
      made: items.flatMap(({ made }) => made),
      ended: items.flatMap(({ stored, isEnded }) => (stored && isEnded ? [stored] : [])),
    }
  }

  /** The items whose versions were made or ended. */
  *histories(): Iterable<History<Row>> {
    if (this.moves.length === 0) return
    for (const item of this.#items.values()) if (item.isEnded || item.made.length > 0) yield item
  }

  #close(item: Touched<Row, New>, current: Row, { stateVersion, at, change }: Ending, as?: Partial<Row>): Row {
    const end = { ...as, toState: stateVersion, endedAt: at, endedChange: change }
    const { id } = current
    this.#hold(item, id, null)
    const made = item.made.pop()
    // A version that this batch made is inserted as ended; a stored one is updated.
    if (made) {
      const ended = { ...made, ...end }
      item.made.push(ended)
      this.#undo.push(() => item.made.splice(-1, 1, made))
      return ended
    }
    const ended = { ...current, ...end }
    Object.assign(item, { stored: ended, isEnded: true })
    this.#undo.push(() => Object.assign(item, { stored: current, isEnded: false }))
    return ended
  }

  /** Replaces the key that an item holds. The next holder may have taken the old one already. */
  #hold(item: Touched<Row, New>, id: string, key: string | null): void {
    const { key: given } = item
    if (given === key) return
    const holders = this.#holders
    const [before, after] = [given, key].map((name) => (name === null ? undefined : holders.get(name)))
    if (given !== null && before === id) holders.set(given, null)
    if (key !== null) holders.set(key, id)
    item.key = key
    this.#undo.push(() => {
      item.key = given
      if (key !== null) putBack(holders, key, after)
      if (given !== null) putBack(holders, given, before)
    })
  }

  #record(move: Move<Row['content']>): void {
    const added = Number(move.after !== undefined) - Number(move.before !== undefined)
    this.moves.push(move)
    this.added += added
    this.#undo.push(() => {
      this.moves.pop()
      this.added -= added
    })
  }
}
