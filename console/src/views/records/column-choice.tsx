import type { FieldColumn } from './columns.ts'

type ColumnChoiceProps = {
  columns: readonly FieldColumn[]
  shown: readonly FieldColumn[]
  onChange: (names: string[] | undefined) => void
}

/** Which fields are columns. */
export const ColumnChoice = ({ columns, shown, onChange }: ColumnChoiceProps) => {
  const names = shown.map(({ name }) => name)
  const toggle = (name: string) =>
    onChange(names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
  return (
    <details className="type-filter">
      <summary className="button small">Columns</summary>
      <fieldset>
        <legend>Columns</legend>
        {columns.map(({ name, type, isDeclared }) => (
          <label key={name}>
            <input type="checkbox" checked={names.includes(name)} onChange={() => toggle(name)} />
            {name} <span className="muted">{isDeclared ? type : 'not declared'}</span>
          </label>
        ))}
        <button type="button" className="button small" onClick={() => onChange(undefined)}>
          As at first
        </button>
      </fieldset>
    </details>
  )
}
