import { Combobox as Base } from '@base-ui/react/combobox'
import { useId } from 'react'
import { describe, Field, type Option } from './field.tsx'
import { Icon } from './icon.tsx'

type Choice = Option & { detail?: string }

type ComboboxProps = {
  label: string
  items: readonly Choice[]
  value: string | undefined
  onChange: (value: string | undefined) => void
  placeholder?: string
  hint?: string
  error?: string | undefined
  isLabelHidden?: boolean
  /** For items that a search finds: called with what is typed. Without it, what is typed filters the items. */
  onType?: (text: string) => void
}

/** Chooses one of many by typing. Use a `Select` for a few. */
export const Combobox = ({ items, value, onChange, placeholder, onType, ...labels }: ComboboxProps) => {
  const id = useId()
  const chosen = items.find((item) => item.value === value) ?? null
  return (
    <Field {...labels} id={id}>
      <Base.Root
        items={items}
        value={chosen}
        onValueChange={(item: Choice | null) => onChange(item?.value)}
        itemToStringLabel={({ name }: Choice) => name}
        isItemEqualToValue={(item: Choice, other: Choice) => item.value === other.value}
        {...(onType && { filter: null, onInputValueChange: onType })}
      >
        <div className="combobox">
          <Base.Input {...describe(id, labels)} placeholder={placeholder} />
          <Base.Trigger className="icon-button" aria-label={`All of ${labels.label}`}>
            <Icon name="down" />
          </Base.Trigger>
        </div>
        <Base.Portal>
          <Base.Positioner sideOffset={4} align="start" className="popup-position">
            <Base.Popup className="menu">
              <Base.Empty className="menu-empty">No match.</Base.Empty>
              <Base.List>
                {(item: Choice) => (
                  <Base.Item key={item.value} value={item} className="menu-item">
                    <span className="menu-name">
                      {item.name}
                      {item.detail && <small>{item.detail}</small>}
                    </span>
                    <Base.ItemIndicator>
                      <Icon name="check" />
                    </Base.ItemIndicator>
                  </Base.Item>
                )}
              </Base.List>
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </Field>
  )
}
