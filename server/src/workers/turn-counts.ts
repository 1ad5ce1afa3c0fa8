import type { LeasedRow, RunningTurns } from '../shared/concurrency/leased-work.ts'

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
