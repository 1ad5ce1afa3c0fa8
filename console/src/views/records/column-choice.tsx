import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Popover } from '../../components/popover.tsx'
import type { FieldColumn } from './columns.ts'

type ColumnChoiceProps = {
  columns: readonly FieldColumn[]
  shown: readonly FieldColumn[]
  onChange: (names: string[] | undefined) => void
}

/** Chooses the fields that are columns. */
export const ColumnChoice = ({ columns, shown, onChange }: ColumnChoiceProps) => {
  const names = shown.map(({ name }) => name)
  const toggle = (name: string) =>
    onChange(names.includes(name) ? names.filter((one) => one !== name) : [...names, name])
  return (
    <Popover label="Columns" trigger={<Button size="small">Columns</Button>}>
      <div className="column-choice">
        {columns.map(({ name, type, isDeclared }) => (
          <Checkbox
            key={name}
            checked={names.includes(name)}
            onChange={() => toggle(name)}
            label={
              <>
                {name} <span className="muted">{isDeclared ? type : 'not declared'}</span>
              </>
            }
          />
        ))}
        <Button size="small" onClick={() => onChange(undefined)}>
          Reset
        </Button>
      </div>
    </Popover>
  )
}
