import type { Operation } from '@noema/contracts/batch.ts'
import type { Provenance } from '@noema/contracts/common.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { BoundStatement } from '../../../storage/statements.ts'
import type { ToId } from '../content-parts/content-parts.ts'
import type { ExportCodec } from '../export-lines/export-lines.ts'
import type { SelectLines } from '../export-lines/types.ts'
import type { LoadBudget } from './load-budget.ts'
import type { RowChanges, RowStatements } from './pending-rows.ts'

/** An item of one of several Brains. */
export type ItemPlace = { brainId: number; id: string }

/** A kind of content. Its operations begin with its name: `record.put`. */
export type ContentType = 'record' | 'statement' | 'document'

/** The properties of every item of content that belong to its version. */
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
  /** When it ended, and whether no other follows. Set for versions that a write or an import ends; not read with others. */
  endedAt?: string | null
  isGone?: boolean
  /** The item that it was merged into, if that ended it. */
  survivor?: string | null
  /**
   * The bytes of its content as JSON text, including its other long columns if a write made it; and the text, if a write made it.
   */
  size?: number
  json?: string
  content: Item
}

/** An operation whose id is known, and whose references to earlier results of its batch are ids. */
export type ResolvedOperation = Operation & { id: string }

/**
 * The effect of an operation on its item: `adds` needs no item, `patches` may still apply after others wrote to the item, `ends`
 * leaves no item.
 */
export type OperationEffect = 'adds' | 'writes' | 'patches' | 'ends'

/** The operations of a kind. */
export type OperationOf<Type extends ContentType> = Extract<ResolvedOperation, { op: `${Type}.${string}` }>

/** The values that all operations of one change share. */
export type Applying = {
  change: string
  at: string
  stateVersion: number
  /**
   * The bytes of the change's records that its patches worked on. With `mayMove`, more may move to the worker for large requests.
   */
  patched: { bytes: number; mayMove?: boolean }
  /** The provenance of every version that the change makes. */
  provenance: Provenance
  /** Ids that stand for other items within the change: of statements that exist under another id. */
  twins: Map<string, string>
}

/** The result of an operation: the version that it found (null: none), the one after it, its events (none: nothing changed). */
export type Outcome<Row extends Version = Version> = {
  base: number | null
  version: Row
  /** The rest of the item's address, next to its id. */
  address: object
  /** A live version as the answer to its write shows it. */
  view: object
  events: NewEvent[]
  created: boolean
}

/**
 * The reads of one kind that operations need: items by id, live items by their unique key, live items about records, and which of
 * the items that are referred to are live.
 */
export type Need = { ids: Set<string>; keys: Set<string>; about: Set<string>; referred: Set<string> }
export type Needs = Readonly<Record<ContentType, Need>>

/** An item of a change that is reverted: the versions that it found and made, and the newest. */
export type Reverted<Row extends Version = Version, New extends Row = Row> = {
  id: string
  /** The number of the version that the change made; null if it ended the item. */
  made: number | null
  base: New | undefined
  left: New | undefined
  newest: Row | undefined
  /** True if another live item now has the unique key of that version. */
  isHeld: boolean
  /** The change, and the state that it made. */
  change: string
  stateVersion: number
  /** Refuses the revert, because others wrote over the change since. */
  refuse: () => never
}

/** Operations that revert an item: those that end dependent items, the writes, and those that depend on the writes. */
export type Inverse = { ends?: Operation[]; writes?: Operation[]; rests?: Operation[] }

/** The state of an item: its live version, null if there is none, and the change that made it so. */
export type Standing = { id: string; version: number | null; change: string }

/** The table of a kind of content. A version that a write makes may hold more than is read with one (`New`). */
export type VersionTable<Row extends Version = Version, New extends Row = Row> = {
  readonly type: ContentType
  readonly name: string
  /** The end of a version as JSON text; null while it is current. */
  readonly ended: RawBuilder<unknown>
  readonly rows: RowStatements<Row, New>
  /** The rows of the table as they would be with these versions made and ended, for reads of the Brain. */
  overlay(brainId: number, rows: Pick<RowChanges<Row, New>, 'made' | 'ended'>): BoundStatement<object>
  /** Versions as lines of an export: every one, or the current ones. */
  readonly selectLines: SelectLines
  /** The newest version of each of these items, also if it ended. Throws where they exceed the budget. */
  selectNewest(db: Queryable, brainId: number, ids: readonly string[], budget: LoadBudget): Promise<readonly Row[]>
  /** Numbered versions as they were made. Throws where they exceed the budget. */
  selectNumbered(
    db: Queryable,
    brainId: number,
    requested: readonly { id: string; number: number }[],
    budget: LoadBudget,
  ): Promise<readonly New[]>
  /** The first of these, up to so many bytes together, but at least one if there is any. */
  selectFirstNumbered(
    db: Queryable,
    brainId: number,
    requested: readonly { id: string; number: number }[],
    maxBytes: number,
  ): Promise<(New & { total: number })[]>
  /** The numbers of the live versions of these items. */
  selectLiveNumbers(db: Queryable, brainId: number, ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** The live versions of items of any Brains; items that are not live are left out. */
  selectLiveIn(db: Queryable, requested: readonly ItemPlace[]): Promise<(ItemPlace & { version: number })[]>
  selectStandings(db: Queryable, brainId: number, ids: readonly string[]): Promise<Standing[]>
}

/**
 * A kind of content, for code that treats all kinds alike. `Writes` holds the writes of a commit batch to all kinds. Functions are
 * methods, so that each kind may take its own operations and rows.
 */
export type ContentKind<Writes> = {
  readonly type: ContentType
  readonly table: VersionTable
  /** The names of its content in the contract: the compiler asks for each. */
  readonly contentKeys: readonly string[]
  /** The effects of its operations: the compiler asks for each. */
  readonly operations: Readonly<Record<string, OperationEffect>>
  readonly exportCodec: ExportCodec
  /** The key that only one live item may hold; null if it holds none. */
  liveKey(version: Version): string | null
  /** Gives an operation its id, and replaces references to earlier results by their ids. */
  resolve(operation: Operation, toId: ToId, now: Date): ResolvedOperation
  /** Adds the reads that an operation needs, of any kind. */
  need(operation: ResolvedOperation, needs: Needs, writes: Writes): void
  /** Reads the needed items of this kind, for these operations on it among others. */
  load(
    db: Queryable,
    brainId: number,
    writes: Writes,
    needed: Need & { operations: readonly ResolvedOperation[]; leavesKeysToIndexes: boolean; budget: LoadBudget },
  ): Promise<void>
  /** Applies an operation in memory. Throws if it is refused. */
  apply(writes: Writes, operation: ResolvedOperation, applying: Applying): Outcome
  /** Ends the items that cannot exist without a deleted record, and returns their events. */
  endAbout?(writes: Writes, recordId: string, applying: Applying): NewEvent[]
  /** The records that an operation refers to, which need not exist. */
  references(operation: ResolvedOperation): string[]
  /** A version as the detail of a change shows it. */
  detail(version: Version): object
  /** Checks if an operation still means the same, though its item moved from `then` to `now`. */
  stillFits(operation: ResolvedOperation, then: Content, now: Content): boolean
  invert(item: Reverted): Inverse
  /** Which of these unique keys are held; only for kinds whose ended items do not come back. */
  selectHeldKeys?(db: Queryable, brainId: number, keys: readonly string[]): Promise<ReadonlySet<string>>
  /** Selects items that a change ended together with the records that it deleted. */
  selectEndedAlong?(
    db: Queryable,
    brainId: number,
    recordIds: readonly string[],
    { stateVersion, budget }: { stateVersion: number; budget: LoadBudget },
  ): Promise<readonly Version[]>
}
