import { navigate, withQuery } from '../../address.tsx'
import { toAmount } from '../../plural.ts'

const budgets = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000] as const
const defaultBudget = 4_000

/** The budget of a context that the URL asks for, in tokens. */
export const readBudget = (address: URLSearchParams): number =>
  budgets.find((one) => String(one) === address.get('tokens')) ?? defaultBudget

/** The choice of the budget of a context. */
export const BudgetChoice = ({ tokens }: { tokens: number }) => (
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
