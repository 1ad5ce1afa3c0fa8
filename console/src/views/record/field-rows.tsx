import '../../styles/inline-inputs.css'
import '../../styles/record.css'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { describeField } from '../../data/schema-words.ts'
import { FieldInput } from '../record-form/field-input.tsx'
import { readInput, type TypedField, toInputText, toUndeclaredField } from '../record-form/field-value.ts'
import { FieldValue } from './field-value.tsx'
import type { RecordEdit } from './use-record-edit.ts'

type Value = BrainRecord['fields'][string]

type EditingProps = { field: TypedField; value: Value | undefined; edit: RecordEdit; onDone: () => void }

/** The input of a field. Ctrl+Enter saves, Escape cancels. */
const Editing = ({ field, value, edit, onDone }: EditingProps) => {
  const id = useId()
  const form = useContractForm({
    initial: { text: toInputText(field, value) },
    paths: { text: `fields.${field.name}` },
    toBody: ({ text }) => {
      const read = readInput(field, text)
      if ('error' in read) throw new FieldProblem('text', read.error)
      return { [field.name]: read.value }
    },
    submit: async (fields) => {
      await edit.save(fields)
      onDone()
    },
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the form inside
    <div
      onKeyDown={({ key, ctrlKey, metaKey, target }) => {
        if (key === 'Escape') onDone()
        if (key === 'Enter' && (ctrlKey || metaKey) && target instanceof Element)
          target.closest('form')?.requestSubmit()
      }}
    >
      <Form
        form={form}
        submit="Save"
        size="small"
        className="field-editing"
        // The page shows the error.
        renderFailure={() => null}
        aside={
          <Button size="small" onClick={onDone}>
            Cancel
          </Button>
        }
      >
        <label className="off-screen" htmlFor={id}>
          {field.name}
        </label>
        <form.Field name="text">
          {({ value: text, set, errorId }) => (
            <FieldInput
              {...{ field, id, text, describedBy: errorId, isInvalid: errorId !== undefined }}
              onChange={set}
            />
          )}
        </form.Field>
      </Form>
    </div>
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
                  edit.clear()
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

/** The fields of a record: declared ones in the order of the schema, then undeclared ones. */
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
