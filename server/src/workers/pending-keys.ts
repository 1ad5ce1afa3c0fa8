import type { LeasedRow, LeasedRows, LeftRows, RunningTurns } from '../shared/concurrency/leased-work.ts'

const add = (counts: Map<string, number>, name: string, change: number): void => {
  const count = (counts.get(name) ?? 0) + change
  if (count > 0) counts.set(name, count)
  else counts.delete(name)
}

/** Counts the running turns of this node, for the shares. */
export class TurnCounts {
  #total = 0
  readonly #max: number
  readonly #maxOfOrganization: number
  readonly #organizations = new Map<string, number>()
  readonly #keys = new Map<string, Map<string, number>>()

  constructor(max: number, maxOfOrganization = max) {
    this.#max = max
    this.#maxOfOrganization = maxOfOrganization
  }

  get total(): number {
    return this.#total
  }

  get free(): number {
    return this.#max - this.#total
  }

  /**
   * Returns how many more turns an organization may start: it may while it has fewer turns than are free. So one
   * organization alone uses half of the node, and there is always room for another.
   */
  roomFor(organization: string): number {
    const turns = this.#organizations.get(organization) ?? 0
    return Math.max(0, Math.min(this.#maxOfOrganization - turns, Math.ceil((this.free - turns) / 2)))
  }

  hasTurnOf(key: string): boolean {
    return this.#keys.has(key)
  }

  begin({ key, organization, owner }: LeasedRow): void {
    this.#count(key, organization, owner, 1)
  }

  end({ key, organization, owner }: LeasedRow): void {
    this.#count(key, organization, owner, -1)
  }

  #count(key: string, organization: string, owner: string, change: number): void {
    this.#total += change
    add(this.#organizations, organization, change)
    const owners = this.#keys.get(key) ?? new Map<string, number>()
    add(owners, owner, change)
    if (owners.size > 0) this.#keys.set(key, owners)
    else this.#keys.delete(key)
  }

  /** The counts that a leasing statement for these keys needs. */
  toRunning(keys: readonly string[]): RunningTurns {
    return {
      free: this.free,
      maxOfOrganization: this.#maxOfOrganization,
      organizations: [...this.#organizations].map(([organization, turns]) => ({ organization, turns })),
      owners: keys.flatMap((key) => [...(this.#keys.get(key) ?? [])].map(([owner, turns]) => ({ owner, turns }))),
    }
  }
}

/**
 * The keys whose rows a node will lease. Notifications and the clock add keys. A key whose rows were left waits for the
 * reason: its organization's share, or the end of one of its turns. A key without rows is not queried again before the next
 * poll, because most Brains have no webhooks but constant writes.
 */
export class PendingKeys {
  readonly #counts: TurnCounts
  readonly #next = new Set<string>()
  readonly #absent = new Set<string>()
  /** Until the next poll. */
  readonly #postponed = new Set<string>()
  /** By organization: left because its share is used up. */
  readonly #beyondShare = new Map<string, Set<string>>()
  readonly #organizations = new Map<string, string>()
  /** Left because their owners have the maximum number of turns: until one of the key's turns ends. */
  readonly #beyondOwners = new Set<string>()
  /** Notified while their turns run: a notification that arrives while a lease is released finds the row still leased. */
  readonly #wokenInTurn = new Set<string>()
  /** Keys whose turns ended while rows were being leased: the statement still counted them. */
  readonly #endedSinceLease = new Set<string>()

  constructor(counts: TurnCounts) {
    this.#counts = counts
  }

  get size(): number {
    return this.#next.size
  }

  /** Checks if there is nothing to take, for any number of free turns. */
  get isEmpty(): boolean {
    return this.#next.size === 0 && this.#beyondShare.size === 0
  }

  add(key: string): void {
    if (this.#absent.has(key)) this.#postponed.add(key)
    // An organization beyond its share can start nothing, so a query would be wasted.
    else if (!this.#organizations.has(key)) this.#next.add(key)
  }

  wake(key: string): void {
    if (this.#counts.hasTurnOf(key)) this.#wokenInTurn.add(key)
    this.add(key)
  }

  /** Takes keys to lease rows of, those first that have waited for a share that there is now. */
  take(max: number): string[] {
    for (const [organization, keys] of this.#beyondShare) {
      const room = this.#counts.roomFor(organization)
      for (const key of [...keys].slice(0, room)) this.#release(organization, key)
    }
    const taken = [...this.#next].slice(0, max)
    for (const key of taken) {
      this.#next.delete(key)
      this.#beyondOwners.delete(key)
    }
    this.#endedSinceLease.clear()
    return taken
  }

  /** Records the result of leasing keys; the turns of leased rows have started. */
  recordLeased({ rows, left, absent = [] }: LeasedRows<LeasedRow>): void {
    for (const key of absent) this.#absent.add(key)
    for (const one of left) this.#recordLeft(one, rows.length > 0 || this.#endedSinceLease.size > 0)
  }

  #recordLeft({ key, organization, limit }: LeftRows, hasMoved: boolean): void {
    if (limit === 'organization' && (hasMoved || this.#counts.roomFor(organization) === 0)) {
      const keys = this.#beyondShare.get(organization) ?? new Set()
      this.#beyondShare.set(organization, keys.add(key))
      this.#organizations.set(key, organization)
      this.#next.delete(key)
    } else if (limit === 'owner' && this.#endedSinceLease.has(key)) this.#next.add(key)
    else if (limit === 'owner' && this.#counts.hasTurnOf(key)) this.#beyondOwners.add(key)
    // Another node has locked the row that this node chose. An immediate query would find it locked again.
    else this.#postponed.add(key)
  }

  /** Records the end of a turn, and whether its key has more work. */
  recordEnd({ key }: LeasedRow, isUnfinished: boolean): void {
    this.#endedSinceLease.add(key)
    const isAwaited = this.#beyondOwners.delete(key) || this.#wokenInTurn.has(key)
    if (!this.#counts.hasTurnOf(key)) this.#wokenInTurn.delete(key)
    if (isUnfinished || isAwaited) this.add(key)
  }

  postpone(keys: readonly string[]): void {
    for (const key of keys) this.#postponed.add(key)
  }

  askAgain(): void {
    this.#absent.clear()
    for (const key of this.#postponed) this.add(key)
    this.#postponed.clear()
  }

  #release(organization: string, key: string): void {
    const keys = this.#beyondShare.get(organization)
    keys?.delete(key)
    if (keys?.size === 0) this.#beyondShare.delete(organization)
    this.#organizations.delete(key)
    this.#next.add(key)
  }
}
