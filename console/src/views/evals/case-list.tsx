import '../../styles/form-cards.css'
import { Button } from '../../components/button.tsx'
import { fields } from '../../components/form/fields.tsx'
import { type CaseValues, type ExpectationName, newCase } from './case-values.ts'

const evidences = [
  { value: '', name: 'not graded' },
  { value: 'strong', name: 'strong' },
  { value: 'weak', name: 'at least weak' },
  { value: 'none', name: 'none' },
] as const

const oneALine = 'One a line.'
const itemLines = 'A type and an id on each line, such as “document refunds”.'

const labels: Record<Exclude<ExpectationName, 'evidence'>, { label: string; hint?: string; isMono?: boolean }> = {
  answer: { label: 'Expected: the answer is' },
  contains: { label: 'Expected: the answer contains', hint: oneALine },
  notContains: { label: 'Expected: the answer does not contain', hint: oneALine },
  pattern: { label: 'Expected: the answer matches', hint: 'A regular expression.', isMono: true },
  found: { label: 'Expected: these items were read', hint: itemLines, isMono: true },
  notFound: { label: 'Expected: these items were not read', hint: itemLines, isMono: true },
  called: { label: 'Expected: these tools were called', hint: oneALine, isMono: true },
  notCalled: { label: 'Expected: these tools were not called', hint: oneALine, isMono: true },
}

const Expectation = ({ at, name }: { at: string; name: ExpectationName }) => {
  if (name === 'evidence')
    return <fields.Select name={`${at}.evidence`} label="Expected: evidence" options={evidences} />
  const { isMono = false, ...words } = labels[name]
  return <fields.TextArea name={`${at}.${name}`} rows={2} isMono={isMono} spellCheck={!isMono} {...words} />
}

type FieldsProps = { at: string; expectations: readonly ExpectationName[] }

/** The question of a case and what is expected of its answer. `at` is its place in the form. */
export const CaseFields = ({ at, expectations }: FieldsProps) => (
  <>
    <fields.TextArea name={`${at}.input`} label="Question" rows={2} required maxLength={20_000} />
    {expectations.map((name) => (
      <Expectation key={name} at={at} name={name} />
    ))}
  </>
)

type CardProps = {
  index: number
  expectations: readonly ExpectationName[]
  isOnly: boolean
  onRemove: () => void
}

const Card = ({ index, expectations, isOnly, onRemove }: CardProps) => {
  const at = `cases[${index}]`
  return (
    <fieldset className="form-card">
      <legend>Case {index + 1}</legend>
      <CaseFields at={at} expectations={expectations} />
      <div className="form-card-row">
        <fields.Text name={`${at}.id`} label="Id" isMono required maxLength={64} autoComplete="off" />
        {!isOnly && (
          <div className="form-card-acts">
            <Button size="small" onClick={onRemove}>
              Remove
            </Button>
          </div>
        )}
      </div>
    </fieldset>
  )
}

/** The most cases of an eval. */
const maxCases = 1_000

type ListProps = {
  cases: readonly CaseValues[]
  /** The expectations that each case can have. */
  expectations: readonly ExpectationName[]
  /** The ids of the other cases of the eval. */
  taken?: readonly string[]
  onChange: (cases: readonly CaseValues[]) => void
}

/** The cases of a form, and a button that adds one. */
export const CaseList = ({ cases, expectations, taken = [], onChange }: ListProps) => (
  <fieldset className="form-cards">
    <legend>Cases</legend>
    {cases.map((_, index) => (
      <Card
        // biome-ignore lint/suspicious/noArrayIndexKey: the id of a case changes while it is edited
        key={index}
        index={index}
        expectations={expectations}
        isOnly={cases.length === 1}
        onRemove={() => onChange(cases.filter((_one, place) => place !== index))}
      />
    ))}
    <div className="actions">
      <Button
        size="small"
        icon="plus"
        disabled={taken.length + cases.length >= maxCases}
        onClick={() => onChange([...cases, newCase([...taken, ...cases.map(({ id }) => id)])])}
      >
        Add a case
      </Button>
    </div>
  </fieldset>
)
