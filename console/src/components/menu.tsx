import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

/** An entry of a menu: an action, a separator, or a heading. */
type MenuItem =
  | {
      name: string
      onSelect: () => void
      icon?: IconName
      tone?: 'danger'
      /** The reason why it is disabled. */
      why?: string | undefined
      isCurrent?: boolean
    }
  | 'line'
  | { group: string }

const toKey = (item: MenuItem, index: number): string => {
  if (item === 'line') return `line ${index}`
  return 'group' in item ? `group ${item.group}` : item.name
}

const Entry = ({ item }: { item: MenuItem }) => {
  if (item === 'line') return <Base.Separator className="menu-line" />
  if ('group' in item) return <p className="menu-group">{item.group}</p>
  const { name, onSelect, icon, tone, why, isCurrent } = item
  return (
    <Base.Item className="menu-item" data-tone={tone} disabled={why !== undefined} onClick={onSelect}>
      {icon && <Icon name={icon} />}
      <span className="menu-name">
        {name}
        {why && <small>{why}</small>}
      </span>
      {isCurrent && <Icon name="check" />}
    </Base.Item>
  )
}

type MenuProps = {
  /** The button that opens it. */
  trigger: ReactElement
  items: readonly MenuItem[]
  align?: 'start' | 'center' | 'end'
  isOpenAtFirst?: boolean
}

/** The actions for an item, behind a button. Show one or two actions as buttons instead. */
export const Menu = ({ trigger, items, align = 'end', isOpenAtFirst = false }: MenuProps) => (
  <Base.Root defaultOpen={isOpenAtFirst}>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={4} align={align} className="popup-position">
        <Base.Popup className="menu">
          {items.map((item, index) => (
            <Entry key={toKey(item, index)} item={item} />
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
