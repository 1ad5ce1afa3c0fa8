import type { Goal } from '@noema/contracts/goals.ts'
import { FieldProblem } from '../../components/form/problems.ts'
import { toIso, toLocal } from '../../local-time.ts'

// The budget of a goal in a form. People count dollars, the service cents.

export type BudgetValues = { runs: string; dollars: string; until: string }

/** The positions of the values in a body. */
export const budgetPaths = { runs: 'budget.runs', dollars: 'budget.costCents', until: 'budget.until' }

export const toBudgetValues = ({ runs, costCents, until }: Goal['budget']): BudgetValues => ({
  runs: String(runs),
  dollars: costCents === undefined ? '' : String(costCents / 100),
  until: toLocal(until),
})

const readUntil = (until: string): string | null => {
  if (until === '') return null
  const iso = toIso(until)
  if (iso === undefined) throw new FieldProblem('until', 'Enter a date and a time.')
  return iso
}

/** The budget of a form; null for no limit. */
export const toBudget = ({ runs, dollars, until }: BudgetValues) => ({
  runs: Number(runs),
  costCents: dollars.trim() === '' ? null : Number((Number(dollars) * 100).toFixed(4)),
  until: readUntil(until),
})
