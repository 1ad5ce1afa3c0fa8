import { type UndoLog, UndoMap } from '../../../shared/undo.ts'
import { PendingRows } from './pending-rows.ts'
import type { Version } from './versions.ts'

/** The change that ends a version. */
export type Ending = { stateVersion: number; at: string; change: string }

/** The things that a commit batch touches, each by its newest version, and what the changes make of them. */
export class VersionWrites<Held extends Version, New extends Held = Held> {
  readonly rows: PendingRows<Held, New>
  readonly #newest: UndoMap<string, Held>

  constructor(undo: UndoLog, statements: ConstructorParameters<typeof PendingRows<Held, New>>[1]) {
    this.rows = new PendingRows(undo, statements)
    this.#newest = new UndoMap(undo)
  }

  /** The newest version of a thing, which has ended where the thing is gone. */
  newest(id: string): Held | undefined {
    return this.#newest.get(id)
  }

  /** The version of a thing that is live. */
  current(id: string): Held | undefined {
    const newest = this.#newest.get(id)
    return newest?.toState === null ? newest : undefined
  }

  /** Takes in a version that the database holds. */
  know(version: Held): void {
    this.#newest.know(version.id, version)
  }

  /** Makes a new current version and ends the one before. */
  put(version: New, ending: Ending): void {
    const before = this.current(version.id)
    if (before) this.end(before, ending)
    this.#newest.set(version.id, version)
    this.rows.make(nameOf(version), version)
  }

  /** Ends a current version. `as` tells more of one that no other follows. */
  end(current: Held, ending: Ending, as?: Partial<Held>): Held {
    const end = { ...as, toState: ending.stateVersion, endedAt: ending.at, endedChange: ending.change }
    const ended = { ...current, ...end }
    this.#newest.set(current.id, ended)
    const name = nameOf(current)
    const made = this.rows.made(name)
    // One that this batch made is inserted as ended; one that the database holds is updated.
    if (made) this.rows.make(name, { ...made, ...end })
    else this.rows.end(name, ended)
    return ended
  }
}

const nameOf = ({ id, version }: Version) => `${version} ${id}`
