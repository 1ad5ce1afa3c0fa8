/** Statements that took less than this in all keep their plans for so many times as long as others. */
const cheapMilliseconds = 100
const maxPeriods = 12

/**
 * Says when the statements of a connection are planned again. PostgreSQL does that by itself once it has counted the rows of a
 * table, which may be a minute after an empty table got millions. Where statements take hardly any time, planning would cost
 * more than the worst of plans, so it waits longer.
 */
export class PlanAge {
  #plannedAt: number | undefined
  #spentMilliseconds = 0

  /** Adds the time that a statement took. */
  spend(milliseconds: number): void {
    this.#spentMilliseconds += milliseconds
  }

  /** Whether the plans are too old; then new ones begin. `planMilliseconds`: how long a plan is kept. */
  expire(planMilliseconds: number): boolean {
    const now = performance.now()
    this.#plannedAt ??= now
    const periods = this.#spentMilliseconds < cheapMilliseconds ? maxPeriods : 1
    if (now - this.#plannedAt < planMilliseconds * periods) return false
    this.#plannedAt = now
    this.#spentMilliseconds = 0
    return true
  }
}
