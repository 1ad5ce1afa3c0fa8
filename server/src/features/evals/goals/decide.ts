import { maxStaleAttempts } from '@noema/contracts/goals.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import type { Verdict } from './attempt-queries.ts'
import type { LeasedGoal } from './types.ts'

/** Why the budget allows no further attempt; undefined if it allows one. */
export const findExhausted = (
  { budget, attempts, costNanodollars }: Pick<LeasedGoal, 'budget' | 'attempts' | 'costNanodollars'>,
  now: Date,
): string | undefined => {
  if (attempts >= budget.runs) return `It made ${attempts} attempts, which is its budget.`
  if (budget.costCents !== undefined && costNanodollars >= budget.costCents * nanodollarsPerCent)
    return `Its attempts cost ${(costNanodollars / nanodollarsPerCent).toFixed(2)} cents, and its budget is ${budget.costCents}.`
  if (budget.until !== undefined && now.getTime() >= Date.parse(budget.until)) return 'The time of its budget is over.'
  return undefined
}

/** Decides what follows from a graded attempt. Progress is a score above that of every earlier one. */
export const decide = (
  goal: Pick<LeasedGoal, 'budget' | 'attempts' | 'costNanodollars' | 'stale' | 'bestScore'>,
  { passed, score, costNanodollars }: { passed: boolean | null; score: number | null; costNanodollars: number },
  now: Date,
): Omit<Verdict, 'taskId'> => {
  const stale = (score ?? 0) > goal.bestScore ? 0 : goal.stale + 1
  if (passed) return { state: 'met', reason: null, stale }
  const exhausted = findExhausted({ ...goal, costNanodollars: goal.costNanodollars + costNanodollars }, now)
  if (exhausted !== undefined) return { state: 'exhausted', reason: exhausted, stale }
  if (stale < maxStaleAttempts) return { state: 'active', reason: null, stale }
  return { state: 'blocked', reason: `The last ${maxStaleAttempts} attempts made no progress.`, stale }
}
