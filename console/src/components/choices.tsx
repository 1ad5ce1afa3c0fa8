import { type ReactNode, useId } from 'react'
import type { Option } from './field.tsx'

type CheckboxProps = {
  label: ReactNode
  checked: boolean
  onChange: (isOn: boolean) => void
  /** Some, but not all, of its items are on. */
  isMixed?: boolean
  isLabelHidden?: boolean
  isDisabled?: boolean
  name?: string
}

/** A checkbox: one of several options, or the answer to a yes-or-no question. */
export const Checkbox = ({
  label,
  checked,
  onChange,
  isMixed = false,
  isLabelHidden,
  isDisabled,
  name,
}: CheckboxProps) => (
  <label className="checkbox">
    <input
      ref={(input) => {
        if (input) input.indeterminate = isMixed
      }}
      type="checkbox"
      name={name}
      checked={checked}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span className={isLabelHidden ? 'off-screen' : undefined}>{label}</span>
  </label>
)

type SwitchProps = {
  label: string
  checked: boolean
  onChange: (isOn: boolean) => void
  hint?: ReactNode
  isDisabled?: boolean
}

/** Switches something on or off at once. In a form that is submitted later, use a `Checkbox`. */
export const Switch = ({ label, checked, onChange, hint, isDisabled }: SwitchProps) => {
  const id = useId()
  return (
    <div className="switch-field">
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          aria-checked={checked}
          checked={checked}
          disabled={isDisabled}
          aria-describedby={hint ? id : undefined}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{label}</span>
      </label>
      {hint && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  )
}

type RadioGroupProps<Value extends string> = {
  label: string
  options: readonly (Option<Value> & { hint?: ReactNode })[]
  value: Value
  onChange: (value: Value) => void
  /** Side by side, as one control. */
  isSegments?: boolean
  isLabelHidden?: boolean
}

/** Chooses one of a few visible options. */
export const RadioGroup = <Value extends string>(props: RadioGroupProps<Value>) => {
  const { label, options, value, onChange, isSegments = false, isLabelHidden = false } = props
  const name = useId()
  return (
    <fieldset className="radio-group">
      <legend className={isLabelHidden ? 'off-screen' : undefined}>{label}</legend>
      <div className={isSegments ? 'segments' : 'radios'}>
        {options.map((option) => (
          <label key={option.value}>
            <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
            <span>
              {option.name}
              {option.hint && <small>{option.hint}</small>}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
