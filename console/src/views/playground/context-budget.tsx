import type { ReactNode } from 'react'
import { navigate, withQuery } from '../../address.tsx'
import { plural, toAmount } from '../../plural.ts'

const budgets = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000] as const
const defaultBudget = 4_000

/** The budget of a context that the URL asks for, in tokens. */
export const readBudget = (address: URLSearchParams): number =>
  budgets.find((one) => String(one) === address.get('tokens')) ?? defaultBudget

/** The choice of the budget of a context. */
const BudgetChoice = ({ tokens }: { tokens: number }) => (
  <label className="small">
    Tokens{' '}
    <select value={tokens} onChange={({ target }) => navigate(withQuery({ tokens: target.value }), { replace: true })}>
      {budgets.map((one) => (
        <option key={one} value={one}>
          {toAmount(one)}
        </option>
      ))}
    </select>
  </label>
)

type Answer = { budget: { used: number; dropped: number }; milliseconds: number }
type HeadProps = {
  tokens: number
  answer: Answer | undefined
  /** More about the answer, such as its receipt. */
  children?: ReactNode
}

/** The head of a context: its budget, and what its answer used of it. */
export const ContextHead = ({ tokens, answer, children }: HeadProps) => (
  <div className="panel-line">
    <h2>Context</h2>
    <BudgetChoice tokens={tokens} />
    {answer && (
      <p className="muted small">
        {toAmount(answer.budget.used)} used
        {answer.budget.dropped > 0 && `, ${plural(answer.budget.dropped, 'item')} did not fit`} · {answer.milliseconds}{' '}
        ms{children}
      </p>
    )}
  </div>
)
