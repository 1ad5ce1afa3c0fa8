/** Statements that took less than this in all keep their plans for so many times as long as others. */
const cheapMilliseconds = 100
const maxPeriods = 12

/**
 * Says when the statements of a connection are planned again. PostgreSQL does that by itself once it has counted the rows of a
 * table, which may be a minute after an empty table got millions. It waits longer if statements take hardly any time: planning
 * would then cost more than the worst of plans.
 */
export class PlanAge {
  #plannedAt: number | undefined
  #spentMilliseconds = 0

  /** Adds the time that a statement took. */
  spend(milliseconds: number): void {
    this.#spentMilliseconds += milliseconds
  }

  /** True if the plans are too old; then new ones begin. `planMilliseconds`: the lifetime of a plan. */
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
