import type { FieldType, SchemaField } from '@noema/contracts/schema-kinds.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextArea, TextInput } from '../../components/field.tsx'

const types: readonly FieldType[] = [
  'string',
  'text',
  'integer',
  'number',
  'boolean',
  'date',
  'datetime',
  'enum',
  'json',
]

const newField: SchemaField = {
  ...{ name: '', type: 'string', required: false, many: false, indexed: false, unique: false, description: '' },
}

const rules = [
  ['required', 'Required: no record is made without it'],
  ['many', 'A list of such values'],
  ['indexed', 'Indexed: records can be filtered by it'],
  ['unique', 'Unique: no two records of the kind share a value'],
] as const

const splitList = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Only what the type knows: an enum its values, a date its reminders. */
const toField = (field: SchemaField, values: string, notifyBefore: string): SchemaField => {
  const { values: _values, notifyBefore: _notifyBefore, ...rest } = field
  const isDate = field.type === 'date' || field.type === 'datetime'
  return {
    ...rest,
    ...(field.type === 'enum' && { values: splitList(values) }),
    ...(isDate && splitList(notifyBefore).length > 0 && { notifyBefore: splitList(notifyBefore) }),
  }
}

type TypeRulesProps = {
  type: FieldType
  values: string
  setValues: (text: string) => void
  notifyBefore: string
  setNotifyBefore: (text: string) => void
}

/** What only some types have: an enum its values, a date its reminders. */
const TypeRules = ({ type, values, setValues, notifyBefore, setNotifyBefore }: TypeRulesProps) => (
  <>
    {type === 'enum' && (
      <TextArea
        label="Values"
        required
        hint="One on each line"
        rows={4}
        value={values}
        onChange={({ target }) => setValues(target.value)}
      />
    )}
    {(type === 'date' || type === 'datetime') && (
      <TextInput
        label="Notify before"
        isMono
        hint="ISO 8601 durations, such as P30D, P7D, P0D"
        value={notifyBefore}
        onChange={({ target }) => setNotifyBefore(target.value)}
      />
    )}
  </>
)

type FormProps = { field: SchemaField | undefined; onSet: (field: SchemaField) => void; onClose: () => void }

const FieldForm = ({ field: given, onSet, onClose }: FormProps) => {
  const [field, setField] = useState(given ?? newField)
  const [values, setValues] = useState(given?.values?.join('\n') ?? '')
  const [notifyBefore, setNotifyBefore] = useState(given?.notifyBefore?.join(', ') ?? '')
  const set = (event: FormEvent) => {
    event.preventDefault()
    onSet(toField(field, values, notifyBefore))
  }
  return (
    <form className="form" onSubmit={set}>
      <TextInput
        label="Name"
        isMono
        required
        maxLength={128}
        autoComplete="off"
        value={field.name}
        readOnly={given !== undefined}
        onChange={({ target }) => setField({ ...field, name: target.value })}
      />
      <Select
        label="Type"
        value={field.type}
        options={types.map((type) => ({ value: type, name: type }))}
        onChange={(type) => setField({ ...field, type })}
      />
      <TypeRules type={field.type} {...{ values, setValues, notifyBefore, setNotifyBefore }} />
      {rules.map(([rule, words]) => (
        <Checkbox
          key={rule}
          label={words}
          checked={field[rule]}
          onChange={(isOn) => setField({ ...field, [rule]: isOn })}
        />
      ))}
      <TextInput
        label="Description"
        value={field.description}
        onChange={({ target }) => setField({ ...field, description: target.value })}
      />
      <div className="dialog-foot">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" tone="primary">
          Add to the proposal
        </Button>
      </div>
    </form>
  )
}

type FieldDialogProps = FormProps & { isOpen: boolean }

/** A field of a kind, new or as it shall be. Nothing is proposed by it yet. */
export const FieldDialog = ({ isOpen, field, onClose, onSet }: FieldDialogProps) => (
  <Dialog isOpen={isOpen} title={field ? `Field ${field.name}` : 'New field'} onClose={onClose}>
    <FieldForm field={field} onSet={onSet} onClose={onClose} />
  </Dialog>
)
