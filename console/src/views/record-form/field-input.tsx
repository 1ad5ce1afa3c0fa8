import { isLong, type TypedField } from './field-value.ts'

type FieldInputProps = {
  field: TypedField
  id: string
  text: string
  onChange: (text: string) => void
  describedBy?: string | undefined
  isInvalid?: boolean
}

const inputTypes: Partial<Record<TypedField['type'], string>> = { date: 'date', integer: 'number', number: 'number' }

/** The input of a field by its type. A list has a value on each line. */
export const FieldInput = ({ field, id, text, onChange, describedBy, isInvalid = false }: FieldInputProps) => {
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': isInvalid || undefined }
  if (isLong(field))
    return (
      <textarea
        {...common}
        className={field.type === 'json' ? 'mono' : undefined}
        rows={Math.min(12, Math.max(3, text.split('\n').length + 1))}
        value={text}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (field.type === 'boolean' || field.type === 'enum') {
    const options = field.type === 'boolean' ? ['true', 'false'] : (field.values ?? [])
    return (
      <select {...common} value={text} onChange={({ target }) => onChange(target.value)}>
        <option value="">{field.required ? 'Choose' : 'No value'}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    )
  }
  return (
    <input
      {...common}
      type={inputTypes[field.type] ?? 'text'}
      step={field.type === 'number' ? 'any' : undefined}
      placeholder={field.type === 'datetime' ? '2030-01-31T12:00:00Z' : undefined}
      autoComplete="off"
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}
