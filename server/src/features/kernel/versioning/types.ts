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

/** What every item of content tells of the version that it is. */
export type Content = { id: string; stateVersion: number; provenance: Provenance }

/**
 * A version of an item: valid from one Brain state up to, not including, another (null while it is current). `content` is
 * the item as it is answered.
 */
export type Version<Item extends Content = Content> = {
  id: string
  version: number
  fromState: number
  toState: number | null
  endedChange: string | null
  /** When it ended, and whether no other follows. Known of versions that a write or an import ends; not read with others. */
  endedAt?: string | null
  isGone?: boolean
  content: Item
}

/** An operation whose id is known, and whose references to earlier results of its batch are ids. */
export type ResolvedOperation = Operation & { id: string }

/**
 * What an operation does to its item: `adds` needs nothing to be there, `patches` may still mean what it meant where others
 * wrote since, `ends` leaves nothing there.
 */
export type OperationEffect = 'adds' | 'writes' | 'patches' | 'ends'

/** The operations of a kind. */
export type OperationOf<Type extends ContentType> = Extract<ResolvedOperation, { op: `${Type}.${string}` }>

/** What every operation of one change shares. */
export type Applying = {
  change: string
  at: string
  stateVersion: number
  /** What every version that is made knows of its making. */
  provenance: Provenance
  /** The ids that stand for other items until the change is through: of statements that were made before. */
  twins: Map<string, string>
}

/** What an operation did: the version that it found (null: none) and the one after it, its events (none: nothing changed). */
export type Outcome<Row extends Version = Version> = {
  base: number | null
  version: Row
  /** What names the item beside its id. */
  address: object
  /** A live version as the answer to its write shows it. */
  view: object
  events: NewEvent[]
  created: boolean
}

/**
 * What operations need read of one kind: items by id, live items by what they alone hold, live items about records, and
 * which of the items that are referred to are live.
 */
export type Need = { ids: Set<string>; keys: Set<string>; about: Set<string>; referred: Set<string> }
export type Needs = Readonly<Record<ContentType, Need>>

/** An item of a change that is taken back: the versions that it found and made, and the newest. */
export type Reverted<Row extends Version = Version, New extends Row = Row> = {
  id: string
  /** The number of the version that the change made; null where it ended the item. */
  made: number | null
  base: New | undefined
  left: New | undefined
  newest: Row | undefined
  /** Whether another live item holds by now what that version held alone. */
  isHeld: boolean
  /** The change, and the state that it made. */
  change: string
  stateVersion: number
  /** Refuses to take it back: others wrote over it since. */
  refuse: () => never
}

/** Operations that take an item back: those that end what rests on others, the writes, and those that rest on writes. */
export type Inverse = { ends?: Operation[]; writes?: Operation[]; rests?: Operation[] }

/** Where an item stands: the version that is live, null where none is, and the change that made it so. */
export type Standing = { id: string; version: number | null; change: string }

/** The table of a kind of content. A version that a write makes may hold more than is read with one (`New`). */
export type VersionTable<Row extends Version = Version, New extends Row = Row> = {
  readonly type: ContentType
  readonly name: string
  /** What ended a version, as JSON text; null while it is current. */
  readonly ended: RawBuilder<unknown>
  readonly rows: RowStatements<Row, New>
  /** Versions as lines of an export: every one, or the current ones. */
  readonly selectLines: SelectLines
  /** The newest version of each of these items, ended ones included. */
  selectNewest(db: Queryable, brainId: number, ids: readonly string[]): Promise<Row[]>
  /** Numbered versions as they were made, whatever ended them. */
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
  /** The live versions of items of any Brains; what is not live is left out. */
  selectLiveIn(db: Queryable, wanted: readonly ItemPlace[]): Promise<(ItemPlace & { version: number })[]>
  selectStandings(db: Queryable, brainId: number, ids: readonly string[]): Promise<Standing[]>
}

/**
 * What a kind of content is to everything that treats all kinds alike. `Writes` is what a commit batch makes of all kinds.
 * Functions are methods, so that each kind may take its own operations and rows.
 */
export type ContentKind<Writes> = {
  readonly type: ContentType
  readonly table: VersionTable
  /** The names of its content in the contract: the compiler asks for each. */
  readonly contentKeys: readonly string[]
  /** What its operations do: the compiler asks for each. */
  readonly operations: Readonly<Record<string, OperationEffect>>
  readonly exportCodec: ExportCodec
  /** What a live item holds alone; null where it holds nothing. */
  liveKey(version: Version): string | null
  /** Gives an operation its id, and puts the ids of earlier results in place of references to them. */
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
  /** Ends what cannot be without a record that was deleted, and tells of it. */
  endAbout?(writes: Writes, recordId: string, applying: Applying): NewEvent[]
  /** The records that an operation refers to without needing them to be there. */
  references(operation: ResolvedOperation): string[]
  /** A version as the detail of a change shows it. */
  detail(version: Version): object
  /** Whether an operation still means what it meant, though its item moved on from `then` to `now`. */
  stillFits(operation: ResolvedOperation, then: Content, now: Content): boolean
  invert(item: Reverted): Inverse
  /** Which of the keys that a live item holds alone are held; asked of kinds whose ended items do not come back. */
  selectHeldKeys?(db: Queryable, brainId: number, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Items that a change ended along with records that it deleted. */
  selectEndedAlong?(
    db: Queryable,
    brainId: number,
    recordIds: readonly string[],
    stateVersion: number,
  ): Promise<Version[]>
}
