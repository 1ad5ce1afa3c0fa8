import '../../styles/form-cards.css'
import { Button } from '../../components/button.tsx'
import { fields } from '../../components/form/fields.tsx'

/** A criterion while it is edited. */
export type CriterionValues = { id: string; text: string; weight: string; required: boolean }

export const newCriterion = (): CriterionValues => ({ id: '', text: '', weight: '1', required: false })

/** The most criteria of a rubric. */
const maxCriteria = 20

/** The positions of the values of a form in its body. */
export const toCriterionPaths = (criteria: readonly CriterionValues[]): Record<string, string> =>
  Object.fromEntries(
    criteria.flatMap((_, index) =>
      ['id', 'text', 'weight', 'required'].map((name): [string, string] => [
        `criteria[${index}].${name}`,
        `criteria.${index}.${name}`,
      ]),
    ),
  )

type CardProps = { at: string; title: string; isOnly: boolean; onRemove: () => void }

const Card = ({ at, title, isOnly, onRemove }: CardProps) => (
  <fieldset className="form-card">
    <legend>{title}</legend>
    <fields.TextArea name={`${at}.text`} label="What the answer has to do" rows={2} required maxLength={2_000} />
    <div className="form-card-row">
      <fields.Text name={`${at}.id`} label="Id" isMono required maxLength={63} autoComplete="off" />
      <fields.Number name={`${at}.weight`} label="Weight" required min={0} max={100} step="any" />
    </div>
    <div className="form-card-acts">
      <fields.Checkbox name={`${at}.required`} label="No answer passes without it" />
      {!isOnly && (
        <Button size="small" onClick={onRemove}>
          Remove
        </Button>
      )}
    </div>
  </fieldset>
)

type ListProps = {
  criteria: readonly CriterionValues[]
  onChange: (criteria: readonly CriterionValues[]) => void
}

/** The criteria of a rubric in a form, and a button that adds one. */
export const CriteriaList = ({ criteria, onChange }: ListProps) => (
  <fieldset className="form-cards">
    <legend>Criteria</legend>
    {criteria.map((_, index) => (
      <Card
        // biome-ignore lint/suspicious/noArrayIndexKey: a criterion has no other identity while it is edited
        key={index}
        at={`criteria[${index}]`}
        title={`Criterion ${index + 1}`}
        isOnly={criteria.length === 1}
        onRemove={() => onChange(criteria.filter((_one, place) => place !== index))}
      />
    ))}
    <div className="actions">
      <Button
        size="small"
        icon="plus"
        disabled={criteria.length >= maxCriteria}
        onClick={() => onChange([...criteria, newCriterion()])}
      >
        Add a criterion
      </Button>
    </div>
  </fieldset>
)
