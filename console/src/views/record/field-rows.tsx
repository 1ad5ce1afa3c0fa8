import '../../styles/inline-inputs.css'
import '../../styles/record.css'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { useEffect, useId, useState } from 'react'
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

type EditingProps = {
  field: TypedField
  /** The record as it was when the person pressed Edit. It may have changed since. */
  opened: BrainRecord
  edit: RecordEdit
  onDone: () => void
}

/** The input of a field. Ctrl+Enter saves, Escape cancels. */
const Editing = ({ field, opened, edit, onDone }: EditingProps) => {
  const id = useId()
  useEffect(() => document.getElementById(id)?.focus(), [id])
  const form = useContractForm({
    initial: { text: toInputText(field, opened.fields[field.name]) },
    paths: { text: `fields.${field.name}` },
    toBody: ({ text }) => {
      const read = readInput(field, text)
      if ('error' in read) throw new FieldProblem('text', read.error)
      return { [field.name]: read.value }
    },
    submit: async (fields) => {
      await edit.save(fields, opened)
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

const takeFocus = (button: HTMLButtonElement | null) => button?.focus()

type RowProps = {
  field: TypedField
  rules: string
  value: Value | undefined
  edit: RecordEdit | undefined
  /** The record that is being edited; undefined if this field is not. */
  opened: BrainRecord | undefined
  onOpen: (isOpen: boolean) => void
}

const Row = ({ field, rules, value, edit, opened, onOpen }: RowProps) => {
  const [wasOpen, setWasOpen] = useState(false)
  const toggle = (isOpen: boolean) => {
    setWasOpen(true)
    onOpen(isOpen)
  }
  return (
    <div className="field-row">
      <dt>
        {field.name}
        <span className="field-rules">{rules}</span>
      </dt>
      <dd>
        {opened && edit ? (
          <Editing field={field} opened={opened} edit={edit} onDone={() => toggle(false)} />
        ) : (
          <>
            <FieldValue field={field} value={value} />
            {edit && (
              <button
                type="button"
                className="button small quiet"
                aria-label={`Edit ${field.name}`}
                ref={wasOpen ? takeFocus : undefined}
                onClick={() => {
                  edit.clear()
                  toggle(true)
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
  // By the name of the field. A field stays while it is edited, even if someone else removes it.
  const [opened, setOpened] = useState<Readonly<Record<string, BrainRecord | undefined>>>({})
  const declared = kind?.fields ?? []
  const names = new Set(declared.map(({ name }) => name))
  const isShown = (name: string) => !names.has(name) && (name in record.fields || opened[name] !== undefined)
  const others = [...new Set([...Object.keys(record.fields), ...Object.keys(opened)])].filter(isShown)
  if (declared.length + others.length === 0) return <p className="muted">This record has no fields.</p>
  const toRow = (field: TypedField, rules: string) => (
    <Row
      key={field.name}
      {...{ field, rules, edit }}
      value={record.fields[field.name]}
      opened={opened[field.name]}
      onOpen={(isOpen) => setOpened((before) => ({ ...before, [field.name]: isOpen ? record : undefined }))}
    />
  )
  return (
    <dl className="field-rows">
      {declared.map((field) => toRow(field, describeField(field)))}
      {others.map((name) => toRow(toUndeclaredField(name, (opened[name] ?? record).fields[name]), 'not declared'))}
    </dl>
  )
}
