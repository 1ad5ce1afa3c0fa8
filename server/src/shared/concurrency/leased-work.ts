import type { RawBuilder } from 'kysely'
import type { Topic } from './topics.ts'

// Leased work: rows with a `due_at` and a `lease`, of which a node takes what is due for a while. A feature declares a source
// of such rows; `workers/turns.ts` runs it. A turn is what a node does while it holds a row's lease.

/**
 * A row whose lease this node holds. `key` is what wakes name (a Brain, an organization), `organization` whose share a turn
 * of it counts against, and `owner` what may have only so many turns at once (a webhook).
 */
export type LeasedRow = { key: string; organization: string; owner: string; lease: string }

/** Turns under way on this node, as a leasing statement takes them for its shares. */
export type RunningTurns = {
  /** How many more turns this node may run. */
  free: number
  /** How many turns one organization may have on this node. */
  maxOfOrganization: number
  organizations: readonly { organization: string; turns: number }[]
  /** Of the keys that are asked for alone. */
  owners: readonly { owner: string; turns: number }[]
}

/** What a leasing statement may take: rows of these keys that are due, under a new lease, within the shares. */
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

/** So many keys, by key after one. */
export type DuePage = { now: Date; after: string | undefined; limit: number }

/** Work whose due keys a node polls for, once a second or every so often. */
export type PolledWork = {
  /** Selects keys with rows that the clock made due (`key`, `dueAt`), by key. Its text depends on nothing but whether there is an `after`. */
  dueKeys(page: DuePage): RawBuilder<DueKey>
  /** How often it polls, where not once a second. */
  everySeconds?: number
}

/** Finds the due keys of work. */
export type FindDueKeys = (work: PolledWork, page: DuePage) => Promise<DueKey[]>

/** Keys that were found, and the one that the next look goes on after; none where it begins anew. */
export type OverlookedPage = { keys: readonly string[]; next: string | undefined }

/** A page of keys that were looked for until there were so many. */
export const toOverlookedPage = (keys: readonly string[], { limit }: DuePage): OverlookedPage => ({
  keys,
  next: keys.length < limit ? undefined : keys.at(-1),
})

export type Settlement<Row extends LeasedRow, Outcome> = { row: Row; outcome: Outcome }

/** What a turn is given. */
export type Turn<Outcome> = {
  /** Stores an outcome, together with those of other turns; false where the lease does not stand any more. */
  settle(outcome: Outcome): Promise<boolean>
  /** Aborted when the node is about to end: whoever runs a turn settles what it can and returns. */
  stopping: AbortSignal
}

/** A table of leased rows and what to do with one. Every statement is the feature's own. */
export type LeasedWork<Row extends LeasedRow, Outcome> = PolledWork & {
  name: string
  /** Turns under way on one node at once, and those of one organization, where it may not have its full share. */
  maxTurns: number
  maxTurnsOfOrganization?: number
  leaseSeconds: number
  /** Keys of one leasing statement. */
  maxKeys: number
  /**
   * The kind of topic that is published after a commit that may have made rows due; its ids are the keys. None where it is
   * soon enough to look by the clock.
   */
  topic?: Topic
  /** How long a key that was woken is left alone, where one turn is to follow a burst of commits. */
  patience?: { quietMilliseconds: number; maxMilliseconds: number }
  /** Whether turns wait for nobody outside this service, so that a pass of all of them comes to an end. */
  isLocal?: boolean
  lease(request: LeaseRequest): Promise<LeasedRows<Row>>
  /** Does a row's work. True where more of its key is left to do. */
  run(row: Row, turn: Turn<Outcome>): Promise<boolean>
  /** Stores outcomes, each only while its row's lease stands, and answers in their order whether it still does. */
  settle(settlements: readonly Settlement<Row, Outcome>[]): Promise<readonly boolean[]>
  /** Keys with rows that a lost wake left behind; asked for now and then. A look may go through a part of all keys. */
  findOverlooked?(page: DuePage): Promise<OverlookedPage>
  /**
   * The key, if any, that a node begins to look after, which about this share of all keys come before: so that nodes that
   * never last until a whole round is done find everything between them.
   */
  findStart?(share: number): Promise<string | undefined>
}
