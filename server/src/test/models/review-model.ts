import { isDeepStrictEqual } from 'node:util'

// A small model of a reviewed Brain: records with one set of fields each, and changes of one operation. It predicts the
// outcome of each change, the records, and the events in order.

type Fields = Record<string, number>
type Version = { version: number; fields: Fields }
export type Operation = { op: 'put' | 'patch' | 'delete'; id: string; fields: Fields }
type Change = {
  id: string
  operation: Operation
  decision: 'pending' | 'approved' | 'rejected'
  application: 'not_applied' | 'scheduled' | 'blocked' | 'applied' | 'cancelled'
  base: Version | undefined
  publishAt?: number
}

export class ReviewModel {
  readonly current = new Map<string, Version>()
  readonly #newest = new Map<string, number>()
  readonly changes = new Map<string, Change>()
  readonly events: [string, string][] = []
  stateVersion = 0

  /** The fields after an operation; undefined if the record would be deleted. */
  #after(operation: Operation, now: Version | undefined): Fields | undefined {
    if (operation.op === 'delete') return undefined
    return operation.op === 'put' ? operation.fields : { ...now?.fields, ...operation.fields }
  }

  #changesNothing(operation: Operation): boolean {
    const now = this.current.get(operation.id)
    if (operation.op === 'delete') return now === undefined
    return now !== undefined && isDeepStrictEqual(this.#after(operation, now), now.fields)
  }

  /** Checks whether the API accepts the operation at all: a patch or first deletion needs its record. */
  isPossible({ op, id }: Operation): boolean {
    if (op === 'put') return true
    return op === 'delete' ? this.#newest.has(id) : this.current.has(id)
  }

  #apply(operation: Operation): void {
    const now = this.current.get(operation.id)
    const fields = this.#after(operation, now)
    this.stateVersion += 1
    if (fields === undefined) {
      this.current.delete(operation.id)
      return
    }
    const version = (this.#newest.get(operation.id) ?? 0) + 1
    this.#newest.set(operation.id, version)
    this.current.set(operation.id, { version, fields })
  }

  #contentEvent({ op }: Operation): string {
    return op === 'delete' ? 'record.deleted' : 'record.accepted'
  }

  /** Checks whether a pending change already requests exactly this: nothing else is staged then. */
  #waitsFor({ decision, operation }: Change, { op, id, fields }: Operation): boolean {
    const isSame = operation.op === op && operation.id === id
    return decision === 'pending' && isSame && (op === 'delete' || isDeepStrictEqual(operation.fields, fields))
  }

  /** A write; the id is that of the change that the service returned. True if it changes something. */
  write(operation: Operation, id: string, isReviewed: boolean): boolean {
    if (this.#changesNothing(operation)) return false
    if (!isReviewed) {
      this.#apply(operation)
      this.changes.set(id, { id, operation, decision: 'approved', application: 'applied', base: undefined })
      this.events.push([this.#contentEvent(operation), id])
      return true
    }
    const waiting = [...this.changes.values()].filter((change) => this.#waitsFor(change, operation))
    if (waiting.length > 0) {
      if (!waiting.some((change) => change.id === id)) throw new Error(`${id} was staged beside one that asks the same`)
      return true
    }
    const base = this.current.get(operation.id)
    this.changes.set(id, { id, operation, decision: 'pending', application: 'not_applied', base })
    this.events.push(['change.staged', id])
    return true
  }

  #conflicts({ operation, base }: Change): boolean {
    const now = this.current.get(operation.id)
    if (now?.version === base?.version) return false
    if (operation.op !== 'patch' || !now || !base) return true
    return Object.keys(operation.fields).some((name) => now.fields[name] !== base.fields[name])
  }

  #publish(change: Change, announces: boolean): void {
    const isBlocked = this.#conflicts(change) || !this.isPossible(change.operation)
    change.application = isBlocked ? 'blocked' : 'applied'
    if (announces || isBlocked) this.events.push(['change.decided', change.id])
    if (isBlocked) return
    if (!this.#changesNothing(change.operation)) {
      this.#apply(change.operation)
      this.events.push([this.#contentEvent(change.operation), change.id])
    }
    this.events.push(['change.published', change.id])
  }

  decide(change: Change, decision: 'approved' | 'rejected', publish: boolean | number): boolean {
    if (change.decision !== 'pending') return false
    change.decision = decision
    if (decision === 'approved' && publish === true) {
      this.#publish(change, true)
      return true
    }
    if (decision === 'approved' && typeof publish === 'number') {
      change.application = 'scheduled'
      change.publishAt = publish
    }
    this.events.push(['change.decided', change.id])
    return true
  }

  #isOpen({ decision, application }: Change): boolean {
    return decision === 'approved' && ['not_applied', 'scheduled', 'blocked'].includes(application)
  }

  publish(change: Change): boolean {
    if (!this.#isOpen(change)) return false
    this.#publish(change, false)
    return true
  }

  cancel(change: Change): boolean {
    if (!this.#isOpen(change)) return false
    change.application = 'cancelled'
    this.events.push(['change.decided', change.id])
    return true
  }

  /** A rebase is refused if the operation is impossible on the current record. */
  rebase(change: Change): boolean {
    const isOpen = this.#isOpen(change)
    if ((change.decision !== 'pending' && !isOpen) || !this.isPossible(change.operation)) return false
    change.base = this.current.get(change.operation.id)
    if (isOpen) this.events.push(['change.decided', change.id])
    change.decision = 'pending'
    change.application = 'not_applied'
    return true
  }

  /** Moves the clock: publishes the changes that were scheduled before, the earliest first. */
  passTime(now: number): void {
    const due = [...this.changes.values()].filter(
      ({ application, publishAt = 0 }) => application === 'scheduled' && publishAt <= now,
    )
    due.sort((a, b) => (a.publishAt ?? 0) - (b.publishAt ?? 0))
    for (const change of due) this.#publish(change, false)
  }
}
