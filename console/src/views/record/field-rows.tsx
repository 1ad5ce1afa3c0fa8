import '../../styles/inline-inputs.css'
import '../../styles/record.css'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useId, useState } from 'react'
import { describeField } from '../../data/schema-words.ts'
import { FieldInput } from '../record-form/field-input.tsx'
import { readInput, type TypedField, toInputText, toUndeclaredField } from '../record-form/field-value.ts'
import { FieldValue } from './field-value.tsx'
import type { RecordEdit } from './use-record-edit.ts'

type Value = BrainRecord['fields'][string]

type EditingProps = { field: TypedField; value: Value | undefined; edit: RecordEdit; onDone: () => void }

/** A field while it is typed into. Ctrl+Enter saves, Escape leaves it as it was. */
const Editing = ({ field, value, edit, onDone }: EditingProps) => {
  const id = useId()
  const [text, setText] = useState(() => toInputText(field, value))
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const save = async () => {
    const read = readInput(field, text)
    if ('error' in read) return setProblem(read.error)
    await edit.save({ [field.name]: read.value })
    onDone()
  }
  return (
    <form
      className="field-editing"
      onSubmit={(event) => {
        event.preventDefault()
        // The page tells of a refusal.
        save().catch(() => undefined)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
    >
      <label className="off-screen" htmlFor={id}>
        {field.name}
      </label>
      <FieldInput
        {...{ field, id, text, isInvalid: problem !== undefined, describedBy: problem && `${id}-problem` }}
        onChange={setText}
      />
      {problem && (
        <p className="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      <div className="field-actions">
        <button type="submit" className="button small primary" disabled={edit.isSaving}>
          {edit.isSaving ? 'Saving' : 'Save'}
        </button>
        <button type="button" className="button small" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

type RowProps = { field: TypedField; rules: string; value: Value | undefined; edit: RecordEdit | undefined }

const Row = ({ field, rules, value, edit }: RowProps) => {
  const [isEditing, setEditing] = useState(false)
  return (
    <div className="field-row">
      <dt>
        {field.name}
        <span className="field-rules">{rules}</span>
      </dt>
      <dd>
        {isEditing && edit ? (
          <Editing field={field} value={value} edit={edit} onDone={() => setEditing(false)} />
        ) : (
          <>
            <FieldValue field={field} value={value} />
            {edit && (
              <button
                type="button"
                className="button small quiet"
                aria-label={`Edit ${field.name}`}
                onClick={() => {
                  edit.forget()
                  setEditing(true)
                }}
              >
                Edit
              </button>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

type FieldRowsProps = { record: BrainRecord; kind: SchemaKind | undefined; edit?: RecordEdit | undefined }

/** The fields of a record: the declared ones in the order of the schema, then those that the schema does not know. */
export const FieldRows = ({ record, kind, edit }: FieldRowsProps) => {
  const declared = kind?.fields ?? []
  const names = new Set(declared.map(({ name }) => name))
  const others = Object.keys(record.fields).filter((name) => !names.has(name))
  if (declared.length + others.length === 0) return <p className="muted">This record has no fields.</p>
  return (
    <dl className="field-rows">
      {declared.map((field) => (
        <Row
          key={field.name}
          field={field}
          rules={describeField(field)}
          value={record.fields[field.name]}
          edit={edit}
        />
      ))}
      {others.map((name) => (
        <Row
          key={name}
          field={toUndeclaredField(name, record.fields[name])}
          rules="not declared"
          value={record.fields[name]}
          edit={edit}
        />
      ))}
    </dl>
  )
}
