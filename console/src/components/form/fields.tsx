import { type ComponentProps, type ReactNode, useId } from 'react'
import { Checkbox, RadioGroup } from '../choices.tsx'
import { NumberInput, type Option, Select, TextArea, TextInput } from '../field.tsx'
import { useFormField } from './form-context.ts'

/** The names of the values of a type. */
type NamesOf<Values, Kind> = { [Name in keyof Values]: Values[Name] extends Kind ? Name : never }[keyof Values] & string

/** The properties of an input without those that the form sets. */
type Given<Props> = Omit<Props, 'name' | 'value' | 'defaultValue' | 'checked' | 'onChange' | 'error'>

type TextProps = Given<ComponentProps<typeof TextInput>>
type NumberProps = Given<ComponentProps<typeof NumberInput>>
type AreaProps = Given<ComponentProps<typeof TextArea>>
type CheckboxProps = Given<ComponentProps<typeof Checkbox>>
type SelectProps<Value extends string> = Given<ComponentProps<typeof Select>> & { options: readonly Option<Value>[] }
type RadioProps<Value extends string> = Given<ComponentProps<typeof RadioGroup>> & {
  options: readonly (Option<Value> & { hint?: ReactNode })[]
}
type Controlled<Value> = {
  value: Value
  set: (value: Value) => void
  error: string | undefined
  /** The id of the error that is shown, for `aria-describedby`. */
  errorId: string | undefined
}
type CustomProps<Value> = {
  /** The control shows the error itself. */
  hasOwnError?: true
  children: (field: Controlled<Value>) => ReactNode
}

type Of<Values, Kind> = { name: NamesOf<Values, Kind> }

/** The fields of a form over these values. The `name` of each is a value that it can hold. */
export type Fields<Values> = {
  Text: (props: TextProps & Of<Values, string>) => ReactNode
  Number: (props: NumberProps & Of<Values, string>) => ReactNode
  Date: (props: TextProps & Of<Values, string>) => ReactNode
  TextArea: (props: AreaProps & Of<Values, string>) => ReactNode
  Checkbox: (props: CheckboxProps & Of<Values, boolean>) => ReactNode
  Select: <Name extends NamesOf<Values, string>>(
    props: SelectProps<Values[Name] & string> & { name: Name },
  ) => ReactNode
  Radio: <Name extends NamesOf<Values, string>>(props: RadioProps<Values[Name] & string> & { name: Name }) => ReactNode
  /** Any other control. Its error is shown below it. */
  Field: <Name extends keyof Values & string>(props: CustomProps<Values[Name]> & { name: Name }) => ReactNode
}

type Named<Props> = Props & { name: string }

const TextField = ({ name, ...props }: Named<TextProps>) => {
  const { value, error, set } = useFormField(name)
  return <TextInput {...props} name={name} value={value} error={error} onChange={({ target }) => set(target.value)} />
}

const NumberField = ({ name, ...props }: Named<NumberProps>) => {
  const { value, error, set } = useFormField(name)
  return <NumberInput {...props} name={name} value={value} error={error} onChange={({ target }) => set(target.value)} />
}

const DateField = (props: Named<TextProps>) => <TextField type="date" {...props} />

const TextAreaField = ({ name, ...props }: Named<AreaProps>) => {
  const { value, error, set } = useFormField(name)
  return <TextArea {...props} name={name} value={value} error={error} onChange={({ target }) => set(target.value)} />
}

const SelectField = ({ name, ...props }: Named<SelectProps<string>>) => {
  const { value, error, set } = useFormField(name)
  return <Select {...props} name={name} value={value} error={error} onChange={set} />
}

const CustomField = <Value,>({ name, hasOwnError, children }: Named<CustomProps<Value>>) => {
  const { value, error, set } = useFormField(name)
  const id = useId()
  return (
    <div className="field-group" data-invalid={error !== undefined || undefined}>
      {children({ value, error, set, errorId: error === undefined ? undefined : id })}
      {error !== undefined && !hasOwnError && (
        <p className="field-error" role="alert" id={id}>
          {error}
        </p>
      )}
    </div>
  )
}

const CheckboxField = ({ name, ...props }: Named<CheckboxProps>) => (
  <CustomField name={name}>
    {({ value, set }: Controlled<boolean>) => <Checkbox {...props} name={name} checked={value} onChange={set} />}
  </CustomField>
)

const RadioField = ({ name, ...props }: Named<RadioProps<string>>) => (
  <CustomField name={name}>
    {({ value, set }: Controlled<string>) => <RadioGroup {...props} value={value} onChange={set} />}
  </CustomField>
)

export const fields = {
  Text: TextField,
  Number: NumberField,
  Date: DateField,
  TextArea: TextAreaField,
  Checkbox: CheckboxField,
  Select: SelectField,
  Radio: RadioField,
  Field: CustomField,
}
