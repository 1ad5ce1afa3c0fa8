import '../../styles/form-cards.css'
import type { Fields } from '../../components/form/fields.tsx'
import type { BudgetValues } from './budget.ts'

/** The fields of the budget of a goal. */
export const BudgetFields = <Values extends BudgetValues>({
  form,
}: {
  form: Fields<BudgetValues> & Fields<Values>
}) => (
  <fieldset className="form-cards">
    <legend>Budget</legend>
    <div className="form-card-row">
      <form.Number label="Attempts" name="runs" required min={1} max={100} />
      <form.Number label="US dollars" name="dollars" min={0} step="any" placeholder="no limit" />
      <form.Date label="Until" name="until" type="datetime-local" />
    </div>
    <p className="hint">No attempt begins once one of these is used up.</p>
  </fieldset>
)
