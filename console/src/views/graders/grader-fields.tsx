import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { fields } from '../../components/form/fields.tsx'
import { withChosen } from '../../components/form/with-chosen.ts'
import { useRubricList } from '../../data/rubrics.ts'
import { useAgentList } from '../../data/use-names.ts'
import { canJudge } from './can-judge.ts'
import type { GraderType, GraderValues } from './grader-values.ts'

// The inputs of a grader, by its type. Each is a field of the form, so that an error of the service appears at it.

type FieldsProps = {
  /** The place of the grader in the form: `criteria[0]`. */
  at: string
  values: GraderValues
  /** True if no case says what is expected. */
  isAlone: boolean
}

const metrics = [
  { value: 'recall', name: 'recall' },
  { value: 'precision', name: 'precision' },
  { value: 'ndcg', name: 'nDCG' },
] as const

const evidences = [
  { value: '', name: 'as the case says' },
  { value: 'strong', name: 'strong' },
  { value: 'weak', name: 'at least weak' },
  { value: 'none', name: 'none' },
] as const

const toHint = (isAlone: boolean, words: string): string =>
  isAlone ? words : `${words} Leave it empty to take what each case expects.`

type TextProps = FieldsProps & { label: string; words: string; rows?: number; isMono?: boolean }

const Text = ({ at, isAlone, label, words, rows = 3, isMono = false }: TextProps) => (
  <fields.TextArea
    name={`${at}.text`}
    label={label}
    rows={rows}
    required={isAlone}
    isMono={isMono}
    spellCheck={!isMono}
    hint={toHint(isAlone, words)}
  />
)

const IgnoreCase = ({ at }: FieldsProps) => (
  <fields.Checkbox name={`${at}.ignoresCase`} label="Capital and small letters are the same" />
)

const Items = (props: FieldsProps & { label: string }) => (
  <Text {...props} isMono words="A type and an id on each line, such as “document refunds”." />
)

const Found = (props: FieldsProps) => (
  <>
    <Items {...props} label="Items" />
    <div className="form-card-row">
      <fields.Select name={`${props.at}.metric`} label="Measure" options={metrics} />
      <fields.Number name={`${props.at}.top`} label="Only the first" min={1} max={100} placeholder="all" />
      <fields.Number name={`${props.at}.threshold`} label="At least" min={0} max={1} step="any" placeholder="1" />
    </div>
  </>
)

const RubricFields = ({ at, values: { rubric, judge } }: FieldsProps) => {
  const [rubrics, agents] = [useRubricList(), useAgentList()]
  const judges = agents?.filter(canJudge).map(({ id, name }) => ({ value: id, name }))
  const names = rubrics?.map(({ name }) => ({ value: name, name }))
  return (
    <div className="form-card-row">
      <fields.Select
        name={`${at}.rubric`}
        label="Rubric"
        options={withChosen(names ?? [], rubric, rubric === '' ? 'Choose a rubric' : `${rubric} (deleted)`)}
        hint={
          <Link to="/evals" search={{ open: 'rubrics' }} target="_blank">
            All rubrics
          </Link>
        }
      />
      <fields.Select
        name={`${at}.judge`}
        label="Judge"
        options={withChosen(judges ?? [], judge, judge === '' ? 'Choose an agent' : 'An agent that cannot judge')}
        hint={
          judges?.length === 0
            ? 'No agent can judge yet. Create one without tools, Brains, corpora and skills.'
            : 'An agent without tools, Brains, corpora and skills.'
        }
      />
      <fields.Number name={`${at}.threshold`} label="At least" min={0} max={1} step="any" placeholder="0.5" />
    </div>
  )
}

const Operations = (props: FieldsProps) => (
  <div className="form-card-row">
    <fields.TextArea name={`${props.at}.text`} label="Tools that were called" rows={2} isMono hint="One a line." />
    <fields.TextArea
      name={`${props.at}.notCalled`}
      label="Tools that were not called"
      rows={2}
      isMono
      hint={toHint(props.isAlone, 'One a line.')}
    />
  </div>
)

const Limits = ({ at }: FieldsProps) => (
  <div className="form-card-row">
    <fields.Number name={`${at}.maxCents`} label="At most US cents" min={0} step="any" placeholder="no limit" />
    <fields.Number name={`${at}.maxSeconds`} label="At most seconds" min={0.001} step="any" placeholder="no limit" />
  </div>
)

const Person = ({ at }: FieldsProps) => (
  <>
    <fields.Text name={`${at}.text`} label="Question" autoComplete="off" placeholder="Is the answer right?" />
    <fields.Number
      name={`${at}.hours`}
      label="Hours to answer"
      min={1}
      max={720}
      placeholder="168"
      hint="Without an answer by then, the case fails."
    />
  </>
)

const Schema = ({ at }: FieldsProps) => (
  <fields.TextArea name={`${at}.schema`} label="JSON Schema" rows={4} isMono required spellCheck={false} />
)

const byType: Record<GraderType, (props: FieldsProps) => ReactNode> = {
  equals: (props) => (
    <>
      <Text {...props} label="Answer" words="A text, or a JSON value." />
      <IgnoreCase {...props} />
    </>
  ),
  contains: (props) => (
    <>
      <Text {...props} label="Texts" words="One a line." />
      <IgnoreCase {...props} />
    </>
  ),
  not_contains: (props) => (
    <>
      <Text {...props} label="Texts" words="One a line." />
      <IgnoreCase {...props} />
    </>
  ),
  regex: (props) => (
    <>
      <Text {...props} label="Pattern" rows={1} isMono words="A regular expression." />
      <IgnoreCase {...props} />
    </>
  ),
  json_schema: Schema,
  found: Found,
  not_found: (props) => <Items {...props} label="Items" />,
  cited: ({ at }) => <fields.Number name={`${at}.min`} label="Least citations" min={0} max={100} placeholder="1" />,
  evidence: ({ at }) => <fields.Select name={`${at}.is`} label="Evidence" options={evidences} />,
  operations: Operations,
  limits: Limits,
  rubric: RubricFields,
  person: Person,
}

/** The inputs of a grader. */
export const GraderFields = (props: FieldsProps) => byType[props.values.type](props)
