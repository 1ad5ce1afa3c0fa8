import '../../styles/inline-inputs.css'
import '../../styles/records.css'
import type { QueryOperator } from '@noema/contracts/query.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import { type FormEvent, useState } from 'react'
import {
  type Condition,
  describeCondition,
  type Filterable,
  toConditions,
  toConditionValue,
  toOperatorWord,
  toWhere,
  type Where,
} from '../../data/record-filter.ts'
import { FieldInput } from '../record-form/field-input.tsx'

type Possible = Extract<Filterable, { field: SchemaField }>

const isPossible = (one: Filterable): one is Possible => 'field' in one

type ConditionValueProps = {
  field: SchemaField
  operator: QueryOperator
  text: string
  onChange: (text: string) => void
}

/** The value of a condition: one of the field's type, several separated by commas, or whether a value exists. */
const ConditionValue = ({ field, operator, text, onChange }: ConditionValueProps) =>
  operator === 'exists' ? (
    <select id="condition-value" value={text || 'true'} onChange={({ target }) => onChange(target.value)}>
      <option value="true">yes</option>
      <option value="false">no</option>
    </select>
  ) : (
    <FieldInput
      id="condition-value"
      field={
        operator === 'in'
          ? { ...field, type: 'string', many: false }
          : { ...field, many: false, type: field.type === 'text' ? 'string' : field.type }
      }
      text={text}
      onChange={onChange}
    />
  )

type NewConditionProps = { possible: readonly Possible[]; onAdd: (condition: Condition) => void }

/** A field, an operator and a value. */
const NewCondition = ({ possible, onAdd }: NewConditionProps) => {
  const [name, setName] = useState(possible[0]?.field.name ?? '')
  const [operator, setOperator] = useState<QueryOperator>('eq')
  const [text, setText] = useState('')
  const chosen = possible.find(({ field }) => field.name === name) ?? possible[0]
  if (!chosen) return null
  const { field, operators } = chosen
  const add = (event: FormEvent) => {
    event.preventDefault()
    if (operator === 'exists' || text.trim() !== '')
      onAdd({ field: field.name, operator, value: toConditionValue(field, operator, text) })
    setText('')
  }
  return (
    <form className="new-condition" onSubmit={add}>
      <select
        aria-label="Field"
        value={field.name}
        onChange={({ target }) => {
          setName(target.value)
          setOperator('eq')
          setText('')
        }}
      >
        {possible.map((one) => (
          <option key={one.field.name}>{one.field.name}</option>
        ))}
      </select>
      <select
        aria-label="Comparison"
        value={operator}
        onChange={({ target }) => setOperator(operators.find((one) => one === target.value) ?? 'eq')}
      >
        {operators.map((one) => (
          <option key={one} value={one}>
            {toOperatorWord(one)}
          </option>
        ))}
      </select>
      <label className="off-screen" htmlFor="condition-value">
        Value
      </label>
      <ConditionValue field={field} operator={operator} text={text} onChange={setText} />
      <button type="submit" className="button small">
        Add filter
      </button>
    </form>
  )
}

type FilterBarProps = {
  kind: string | undefined
  filterable: readonly Filterable[]
  where: Where | undefined
  onChange: (where: Where | undefined) => void
}

/** The conditions of the list, one more to add, and the reason why other fields cannot be used. */
export const FilterBar = ({ kind, filterable, where, onChange }: FilterBarProps) => {
  const conditions = toConditions(where)
  const possible = filterable.filter(isPossible)
  const others = filterable.filter((one) => !isPossible(one))
  return (
    <div className="filter-bar">
      {conditions.map((condition, index) => (
        <button
          key={describeCondition(condition)}
          type="button"
          className="chip"
          aria-label={`Remove the filter: ${describeCondition(condition)}`}
          onClick={() => onChange(toWhere(conditions.toSpliced(index, 1)))}
        >
          {describeCondition(condition)} <span aria-hidden="true">×</span>
        </button>
      ))}
      {kind === undefined ? (
        <span className="muted small">Choose a kind to filter by its fields.</span>
      ) : (
        <NewCondition
          key={kind}
          possible={possible}
          onAdd={(condition) => onChange(toWhere([...conditions, condition]))}
        />
      )}
      {kind !== undefined && others.length > 0 && (
        <details className="cannot-filter">
          <summary>{possible.length === 0 ? 'Why no field can be filtered' : 'Other fields'}</summary>
          <ul>
            {others.map((one) => (
              <li key={'name' in one ? one.name : ''}>
                {'name' in one && (
                  <>
                    <code>{one.name}</code>: {one.why}
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
