import type { Operation } from '@noema/contracts/batch.ts'
import type { Provenance } from '@noema/contracts/common.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { ToId } from '../content-parts/content-parts.ts'
import type { ExportCodec } from '../export-lines/export-lines.ts'
import type { SelectLines } from '../export-lines/types.ts'
import type { RowStatements } from './pending-rows.ts'

/** An item of one of several Brains. */
export type ItemPlace = { brainId: number; id: string }

/** A kind of content. Its operations begin with its name: `record.put`. */
export type ContentType = 'record' | 'statement' | 'document'

/** The fields of every item that describe its version. */
export type Content = { id: string; stateVersion: number; provenance: Provenance }

/**
 * A version of an item: valid from one Brain state up to, not including, another (null while it is current). `content` is
 * the item as answers show it.
 */
export type Version<Item extends Content = Content> = {
  id: string
  version: number
  fromState: number
  toState: number | null
  endedChange: string | null
  /**
   * The time of its end, and whether it has no successor. Set for versions that a write or an import ends; other reads
   * leave it out.
   */
  endedAt?: string | null
  isGone?: boolean
  content: Item
}

/** An operation whose id is known, and whose references to earlier results of its batch are ids. */
export type ResolvedOperation = Operation & { id: string }

/**
 * The effect of an operation on its item: `adds` needs no existing item, `patches` may still be right after other writes,
 * `ends` leaves no item.
 */
export type OperationEffect = 'adds' | 'writes' | 'patches' | 'ends'

/** The operations of a kind. */
export type OperationOf<Type extends ContentType> = Extract<ResolvedOperation, { op: `${Type}.${string}` }>

/** The context that every operation of one change shares. */
export type Applying = {
  change: string
  at: string
  stateVersion: number
  /** The provenance of every new version. */
  provenance: Provenance
  /** The ids that replace other ids until the change is done: of statements that existed before. */
  twins: Map<string, string>
}

/** The outcome of an operation: the version before (null: none) and after it, and its events (none: nothing changed). */
export type Outcome<Row extends Version = Version> = {
  base: number | null
  version: Row
  /** The name of the item besides its id. */
  address: object
  /** A live version as the answer to its write shows it. */
  view: object
  events: NewEvent[]
  created: boolean
}

/**
 * The reads that operations need of one kind: items by id, live items by their unique key, live items about records, and
 * which of the referenced items are live.
 */
export type Need = { ids: Set<string>; keys: Set<string>; about: Set<string>; referred: Set<string> }
export type Needs = Readonly<Record<ContentType, Need>>

/** An item of a change that is taken back: the versions that it found and made, and the newest. */
export type Reverted<Row extends Version = Version, New extends Row = Row> = {
  id: string
  /** The number of the version that the change made; null if it ended the item. */
  made: number | null
  base: New | undefined
  left: New | undefined
  newest: Row | undefined
  /** True if another live item now has that version's unique key. */
  isHeld: boolean
  /** The change, and the state that it made. */
  change: string
  stateVersion: number
  /** Refuses to take it back: others wrote over it since. */
  refuse: () => never
}

/** Operations that take an item back: those that end what rests on others, the writes, and those that rest on writes. */
export type Inverse = { ends?: Operation[]; writes?: Operation[]; rests?: Operation[] }

/** The current version of an item, null if none is live, and the change that made it so. */
export type Standing = { id: string; version: number | null; change: string }

/** The table of a kind of content. A version that a write makes may hold more than is read with one (`New`). */
export type VersionTable<Row extends Version = Version, New extends Row = Row> = {
  readonly type: ContentType
  readonly name: string
  /** The end of a version, as JSON text; null while it is current. */
  readonly ended: RawBuilder<unknown>
  readonly rows: RowStatements<Row, New>
  /** Versions as lines of an export: every one, or the current ones. */
  readonly selectLines: SelectLines
  /** The newest version of each of these items, ended ones included. */
  selectNewest(db: Queryable, brainId: number, ids: readonly string[]): Promise<Row[]>
  /** Selects numbered versions as they were made, without their ends. */
  selectNumbered(db: Queryable, brainId: number, wanted: readonly { id: string; number: number }[]): Promise<New[]>
  /** The first of these that are no more than so many bytes together, one at least where there is any. */
  selectFirstNumbered(
    db: Queryable,
    brainId: number,
    wanted: readonly { id: string; number: number }[],
    maxBytes: number,
  ): Promise<(New & { total: number })[]>
  /** The numbers of the live versions of these items. */
  selectLiveNumbers(db: Queryable, brainId: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Selects live versions of items of any Brains; others are left out. */
  selectLiveIn(db: Queryable, wanted: readonly ItemPlace[]): Promise<(ItemPlace & { version: number })[]>
  selectStandings(db: Queryable, brainId: number, ids: readonly string[]): Promise<Standing[]>
}

/**
 * A kind of content, for code that treats all kinds alike. `Writes` is the write set of a commit batch over all kinds.
 * Functions are methods, so that each kind may have its own operations and rows.
 */
export type ContentKind<Writes> = {
  readonly type: ContentType
  readonly table: VersionTable
  /** The names of its content in the contract: the compiler asks for each. */
  readonly contentKeys: readonly string[]
  /** The effects of its operations: the compiler requires each. */
  readonly operations: Readonly<Record<string, OperationEffect>>
  readonly exportCodec: ExportCodec
  /** The unique key of a live item; null if it has none. */
  liveKey(version: Version): string | null
  /** Gives an operation its id, and replaces references to earlier results by their ids. */
  resolve(operation: Operation, toId: ToId, now: Date): ResolvedOperation
  /** Adds what an operation needs read, of any kind. */
  need(operation: ResolvedOperation, needs: Needs, writes: Writes): void
  /** Reads the needed items of this kind, for these operations on it among others. */
  load(
    db: Queryable,
    brainId: number,
    writes: Writes,
    needed: Need & { operations: readonly ResolvedOperation[]; leavesKeysToIndexes: boolean },
  ): Promise<void>
  /** Applies an operation in memory. Throws where it is refused. */
  apply(writes: Writes, operation: ResolvedOperation, applying: Applying): Outcome
  /** Ends items that depend on a deleted record, and returns their events. */
  endAbout?(writes: Writes, recordId: string, applying: Applying): NewEvent[]
  /** The records that an operation refers to without needing them to be there. */
  references(operation: ResolvedOperation): string[]
  /** A version as the detail of a change shows it. */
  detail(version: Version): object
  /** Checks whether an operation is still right although its item changed from `then` to `now`. */
  stillFits(operation: ResolvedOperation, then: Content, now: Content): boolean
  invert(item: Reverted): Inverse
  /** Selects which of these unique keys live items have; only for kinds whose ended items do not return. */
  selectHeldKeys?(db: Queryable, brainId: number, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Selects items that a change ended together with the records that it deleted. */
  selectEndedAlong?(
    db: Queryable,
    brainId: number,
    recordIds: readonly string[],
    stateVersion: number,
  ): Promise<Version[]>
}
