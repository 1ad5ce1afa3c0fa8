import '../../styles/form-cards.css'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Select } from '../../components/field.tsx'
import { fields } from '../../components/form/fields.tsx'
import { GraderFields } from './grader-fields.tsx'
import { type GraderType, type GraderValues, newGrader } from './grader-values.ts'

// Graders in a form: of an eval, or the criteria of a goal.

const names: Record<GraderType, string> = {
  equals: 'The answer is',
  contains: 'The answer contains',
  not_contains: 'The answer does not contain',
  regex: 'The answer matches a pattern',
  json_schema: 'The answer is JSON of a schema',
  found: 'Items were read',
  not_found: 'Items were not read',
  cited: 'Citations are current',
  evidence: 'Evidence of the read',
  operations: 'Tools were called',
  limits: 'Cost and time',
  rubric: 'A model judges by a rubric',
  person: 'A person decides',
}

const ofAnswers: readonly GraderType[] = [
  'contains',
  'not_contains',
  'equals',
  'regex',
  'json_schema',
  'found',
  'not_found',
]

/** The graders of a goal: none that takes its value from a case, and no person. */
export const gradersOfGoals: readonly GraderType[] = [...ofAnswers, 'cited', 'operations', 'limits', 'rubric']
export const gradersOfAgents: readonly GraderType[] = [...gradersOfGoals, 'person']
export const gradersOfReads: readonly GraderType[] = [...ofAnswers, 'evidence', 'limits', 'rubric', 'person']

/** The most graders of an eval and of a goal. */
const maxGraders = 20

type CardProps = { at: string; title: string; values: GraderValues; isAlone: boolean; onRemove: () => void }

const Card = ({ at, title, values, isAlone, onRemove }: CardProps) => (
  <fieldset className="form-card">
    <legend>{title}</legend>
    <GraderFields at={at} values={values} isAlone={isAlone} />
    <div className="form-card-row">
      <fields.Text name={`${at}.name`} label="Name in results" isMono autoComplete="off" placeholder={values.type} />
      <fields.Number name={`${at}.weight`} label="Weight" min={0} max={100} step="any" placeholder="1" />
      <div className="form-card-acts">
        <Button size="small" onClick={onRemove}>
          Remove
        </Button>
      </div>
    </div>
  </fieldset>
)

type ListProps = {
  label: string
  /** The name of the list in the form. */
  at: string
  types: readonly GraderType[]
  graders: readonly GraderValues[]
  isAlone?: boolean
  onChange: (graders: readonly GraderValues[]) => void
}

/** The graders of a form, and a button that adds one. */
export const GraderList = ({ label, at, types, graders, isAlone = false, onChange }: ListProps) => {
  const [type, setType] = useState<GraderType>(types[0] ?? 'contains')
  return (
    <fieldset className="form-cards">
      <legend>{label}</legend>
      {graders.map((values, index) => (
        <Card
          // biome-ignore lint/suspicious/noArrayIndexKey: a grader has no other identity while it is edited
          key={index}
          at={`${at}[${index}]`}
          title={names[values.type]}
          values={values}
          isAlone={isAlone}
          onRemove={() => onChange(graders.filter((_, place) => place !== index))}
        />
      ))}
      <div className="form-card-add">
        <Select
          label="Kind of the next one"
          isLabelHidden
          options={types.map((value) => ({ value, name: names[value] }))}
          value={type}
          onChange={setType}
        />
        <Button
          size="small"
          icon="plus"
          disabled={graders.length >= maxGraders}
          onClick={() => onChange([...graders, newGrader(type)])}
        >
          Add
        </Button>
      </div>
    </fieldset>
  )
}
