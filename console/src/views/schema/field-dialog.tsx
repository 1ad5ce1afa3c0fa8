import type { FieldType, SchemaField } from '@noema/contracts/schema-kinds.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'

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
  ['required', 'Required: every record must have it'],
  ['many', 'Many: a list of values'],
  ['indexed', 'Indexed: records can be filtered by it'],
  ['unique', 'Unique: no two records of the kind have the same value'],
  ['alias', 'Alias: search knows the record by its values, too'],
] as const

const splitList = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')

type Values = Omit<SchemaField, 'values' | 'notifyBefore' | 'alias'> & {
  values: string
  notifyBefore: string
  alias: boolean
}

const toValues = (field = newField): Values => ({
  ...field,
  values: field.values?.join('\n') ?? '',
  notifyBefore: field.notifyBefore?.join(', ') ?? '',
  alias: field.alias ?? false,
})

const isDate = (type: FieldType): boolean => type === 'date' || type === 'datetime'

/** Only an enum has values, only a date has reminders, and only text is an alias. */
const toField = ({ values, notifyBefore, alias, ...field }: Values): SchemaField => ({
  ...field,
  ...(alias && (field.type === 'string' || field.type === 'text') && { alias }),
  ...(field.type === 'enum' && { values: splitList(values) }),
  ...(isDate(field.type) && splitList(notifyBefore).length > 0 && { notifyBefore: splitList(notifyBefore) }),
})

type FormProps = {
  field: SchemaField | undefined
  submit: string
  onSet: (field: SchemaField) => void
  onClose: () => void
}

const FieldForm = ({ field, submit, onSet, onClose }: FormProps) => {
  const form = useContractForm({
    initial: toValues(field),
    contract: async () => (await import('@noema/contracts/schema-kinds.ts')).schemaField,
    toBody: toField,
    submit: async (given) => onSet(given),
  })
  const type = useFormValue(form, 'type')
  return (
    <Form form={form} submit={submit} onCancel={onClose}>
      <form.Text label="Name" name="name" isMono required autoComplete="off" readOnly={field !== undefined} />
      <form.Select label="Type" name="type" options={types.map((value) => ({ value, name: value }))} />
      {type === 'enum' && <form.TextArea label="Values" name="values" required hint="One per line" rows={4} />}
      {isDate(type) && (
        <form.Text label="Notify before" name="notifyBefore" isMono hint="ISO 8601 durations, such as P30D, P7D, P0D" />
      )}
      {rules.map(([rule, words]) => (
        <form.Checkbox key={rule} label={words} name={rule} />
      ))}
      <form.Text label="Description" name="description" />
    </Form>
  )
}

type FieldDialogProps = FormProps & { isOpen: boolean }

/** Adds a field of a kind, or changes one. */
export const FieldDialog = ({ isOpen, onClose, ...props }: FieldDialogProps) => (
  <Dialog isOpen={isOpen} title={props.field ? `Field ${props.field.name}` : 'New field'} onClose={onClose}>
    <FieldForm {...props} onClose={onClose} />
  </Dialog>
)
