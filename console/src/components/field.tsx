import type { InputHTMLAttributes, ReactNode, TextareaHTMLAttributes } from 'react'
import { useId } from 'react'

type Labels = {
  label: string
  hint?: ReactNode
  /** The error of its value. */
  error?: string | undefined
  isLabelHidden?: boolean
}

type FieldProps = Labels & { id: string; children: ReactNode }

/** A label, a control, a hint and an error. The inputs below include it. */
export const Field = ({ label, hint, error, isLabelHidden = false, id, children }: FieldProps) => (
  <div className="field">
    <label htmlFor={id} className={isLabelHidden ? 'off-screen' : undefined}>
      {label}
    </label>
    {children}
    {(hint || error) && (
      <div className="hint" id={`${id}-hint`}>
        {error && <p className="field-error">{error}</p>}
        {hint}
      </div>
    )}
  </div>
)

/** Connects an input with its label, its hint and its error. */
export const describe = (id: string, { hint, error }: Labels) => ({
  id,
  'aria-describedby': hint || error ? `${id}-hint` : undefined,
  'aria-invalid': error ? true : undefined,
})

type TextInputProps = Labels & { isMono?: boolean } & InputHTMLAttributes<HTMLInputElement>

/** A single-line text input. */
export const TextInput = ({ label, hint, error, isLabelHidden, isMono, className, ...input }: TextInputProps) => {
  const id = useId()
  const labels = { label, hint, error, ...(isLabelHidden && { isLabelHidden }) }
  return (
    <Field {...labels} id={id}>
      <input {...input} {...describe(id, labels)} className={isMono ? 'mono' : className} />
    </Field>
  )
}

type TextAreaProps = Labels & { isMono?: boolean } & TextareaHTMLAttributes<HTMLTextAreaElement>

/** A multi-line text input. */
export const TextArea = ({ label, hint, error, isLabelHidden, isMono, className, ...input }: TextAreaProps) => {
  const id = useId()
  const labels = { label, hint, error, ...(isLabelHidden && { isLabelHidden }) }
  return (
    <Field {...labels} id={id}>
      <textarea {...input} {...describe(id, labels)} className={isMono ? 'mono' : className} />
    </Field>
  )
}

/** A number input with the limits of the service. */
export const NumberInput = (props: Omit<TextInputProps, 'type' | 'inputMode'>) => (
  <TextInput {...props} type="number" inputMode="numeric" />
)

export type Option<Value extends string = string> = { value: Value; name: string }

type SelectProps<Value extends string> = Labels & {
  options: readonly Option<Value>[]
  value: Value
  onChange: (value: Value) => void
  name?: string
}

/** Chooses one of a few from a list that opens. Use a `RadioGroup` for two to four, a `Combobox` for many. */
export const Select = <Value extends string>({ options, value, onChange, name, ...labels }: SelectProps<Value>) => {
  const id = useId()
  const choose = (chosen: string) => {
    const option = options.find((one) => one.value === chosen)
    if (option) onChange(option.value)
  }
  return (
    <Field {...labels} id={id}>
      <select {...describe(id, labels)} name={name} value={value} onChange={({ target }) => choose(target.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.name}
          </option>
        ))}
      </select>
    </Field>
  )
}

/** The value of a form field. */
export const textIn = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
