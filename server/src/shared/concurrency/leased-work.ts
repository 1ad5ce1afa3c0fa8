import type { RawBuilder } from 'kysely'
import type { Topic } from './topics.ts'

// Leased work: rows with `due_at` and `lease`, of which a node leases the due ones for a while. A feature declares a source
// of such rows; `workers/turns.ts` runs it. A turn is the work of a node while it has a row's lease.

/**
 * A row that this node has leased. Notifications name its `key` (a Brain, an organization), its turns count against the
 * share of its `organization`, and its `owner` (a webhook) may have only a few turns at once.
 */
export type LeasedRow = { key: string; organization: string; owner: string; lease: string }

/** Running turns of this node, which a leasing statement needs for its shares. */
export type RunningTurns = {
  /** The number of turns that this node may still start. */
  free: number
  /** The maximum number of turns of one organization on this node. */
  maxOfOrganization: number
  organizations: readonly { organization: string; turns: number }[]
  /** The owners of the requested keys only. */
  owners: readonly { owner: string; turns: number }[]
}

/** The request of a leasing statement: due rows of these keys, under a new lease, within the shares. */
export type LeaseRequest = {
  keys: readonly string[]
  lease: string
  now: Date
  until: Date
  running: RunningTurns
}

/**
 * Why due rows of a key were left: its organization's share is used up (as `organization` in a leasing statement), or the
 * limit of an owner is.
 */
export type LeftRows = { key: string; organization: string; limit: 'organization' | 'owner' }

export type LeasedRows<Row extends LeasedRow> = {
  rows: readonly Row[]
  left: readonly LeftRows[]
  /** Keys that can have no rows at the moment, so that a wake of one need not be followed at once. */
  absent?: readonly string[]
}

/** A key with a row that is due, and since when. */
export type DueKey = { key: string; dueAt: Date }

/** So many keys, by key after one. `isDivided`: the tables of Brains are divided over several servers. */
export type DuePage = { now: Date; after: string | undefined; limit: number; isDivided?: boolean }

/** Work whose due keys a node polls for, once a second or every so often. */
export type PolledWork = {
  /** Selects keys with rows that the clock made due (`key`, `dueAt`), by key. Its text depends on nothing but whether there is an `after`. */
  dueKeys(page: DuePage): RawBuilder<DueKey>
  /** The polling interval, if it is not one second. */
  everySeconds?: number
}

/** Finds the due keys of work. */
export type FindDueKeys = (work: PolledWork, page: DuePage) => Promise<DueKey[]>

/** The keys that were found, and the key after which the next poll continues; undefined if it starts from the beginning. */
export type OverlookedPage = { keys: readonly string[]; next: string | undefined }

/** A page of found keys; the next search continues after a full page. */
export const toOverlookedPage = (keys: readonly string[], { limit }: DuePage): OverlookedPage => ({
  keys,
  next: keys.length < limit ? undefined : keys.at(-1),
})

export type Settlement<Row extends LeasedRow, Outcome> = { row: Row; outcome: Outcome }

/** The arguments of a turn. */
export type Turn<Outcome> = {
  /** Stores an outcome, together with those of other turns; false if the lease is no longer valid. */
  storeOutcome(outcome: Outcome): Promise<boolean>
  /** Aborted when the node is about to stop: the turn stores its progress and returns. */
  stopping: AbortSignal
}

/** A table of leased rows and what to do with one. Every statement is the feature's own. */
export type LeasedWork<Row extends LeasedRow, Outcome> = PolledWork & {
  name: string
  /** The maximum number of turns on one node at once, and of one organization if that is less than its full share. */
  maxTurns: number
  maxTurnsOfOrganization?: number
  leaseSeconds: number
  /** Keys of one leasing statement. */
  maxKeys: number
  /**
   * The kind of topic that is published after a commit that may have made rows due; its ids are the keys. Undefined if
   * polling is soon enough.
   */
  topic?: Topic
  /** The debounce of a notified key, if one turn should follow a burst of commits. */
  debounce?: { quietMilliseconds: number; maxMilliseconds: number }
  /** True if turns wait for nothing outside this service, so that a pass of all of them ends. */
  isLocal?: boolean
  lease(request: LeaseRequest): Promise<LeasedRows<Row>>
  /** Does a row's work. True where more of its key is left to do. */
  run(row: Row, turn: Turn<Outcome>): Promise<boolean>
  /** Stores outcomes, each only while its row's lease is valid, and returns in the same order which leases still are. */
  storeOutcomes(settlements: readonly Settlement<Row, Outcome>[]): Promise<readonly boolean[]>
  /** Finds keys with rows whose notification was lost; called at intervals. A call may cover a part of all keys. */
  findOverlooked?(page: DuePage): Promise<OverlookedPage>
  /**
   * Returns the key at which a node starts this search, with about this share of all keys before it. So even nodes that
   * never live for a whole round cover everything together.
   */
  findStart?(share: number): Promise<string | undefined>
}
