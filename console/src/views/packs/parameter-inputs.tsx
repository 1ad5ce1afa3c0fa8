import type { Pack } from '@noema/contracts/packs.ts'
import { Checkbox } from '../../components/choices.tsx'
import { NumberInput, Select, TextInput } from '../../components/field.tsx'

type Parameter = Pack['parameters'][number]

/** Values as inputs have them: a number is its text. */
export type ParameterValues = Record<string, string | boolean>

/** The values that an install begins with. */
export const toInitialValues = (parameters: readonly Parameter[]): ParameterValues =>
  Object.fromEntries(
    parameters.map((one) => {
      if (one.type === 'boolean') return [one.name, one.default === true]
      return [one.name, String(one.default ?? (one.type === 'choice' ? one.values?.[0] : undefined) ?? '')]
    }),
  )

/** The values that an install sends. A field that is empty leaves the value to the pack. */
export const toParameters = (parameters: readonly Parameter[], values: ParameterValues) =>
  Object.fromEntries(
    parameters.flatMap(({ name, type }): [string, string | number | boolean][] => {
      const value = values[name]
      if (value === undefined || value === '') return []
      return [[name, type === 'number' ? Number(value) : value]]
    }),
  )

/** A text of a pack with the values of its parameters; one without a value is shown by its title: `Desk of [Team]`. */
export const fillIn = (
  text: string,
  parameters: readonly Parameter[],
  values: ParameterValues = toInitialValues(parameters),
): string =>
  text.replace(/\{\{([^{}]+)\}\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one.name === name.trim())
    if (!parameter) return whole
    const value = String(values[parameter.name] ?? '')
    return value === '' ? `[${parameter.title ?? parameter.name}]` : value
  })

type InputProps = { parameter: Parameter; value: string | boolean; onChange: (value: string | boolean) => void }

const ParameterInput = ({ parameter, value, onChange }: InputProps) => {
  const { name, type, values = [] } = parameter
  const label = parameter.title ?? name
  const hint = parameter.description
  if (type === 'boolean') return <Checkbox label={label} checked={value === true} onChange={onChange} />
  const labels = { label, hint, name: `parameter-${name}`, value: String(value) }
  if (type === 'choice')
    return <Select {...labels} options={values.map((one) => ({ value: one, name: one }))} onChange={onChange} />
  const isRequired = parameter.default === undefined
  if (type === 'number')
    return (
      <NumberInput {...labels} step="any" required={isRequired} onChange={({ target }) => onChange(target.value)} />
    )
  return (
    <TextInput {...labels} autoComplete="off" required={isRequired} onChange={({ target }) => onChange(target.value)} />
  )
}

type Props = { parameters: readonly Parameter[]; values: ParameterValues; onChange: (values: ParameterValues) => void }

/** An input for each parameter of a pack. */
export const ParameterInputs = ({ parameters, values, onChange }: Props) => (
  <div className="form">
    {parameters.map((parameter) => (
      <ParameterInput
        key={parameter.name}
        parameter={parameter}
        value={values[parameter.name] ?? ''}
        onChange={(value) => onChange({ ...values, [parameter.name]: value })}
      />
    ))}
  </div>
)
