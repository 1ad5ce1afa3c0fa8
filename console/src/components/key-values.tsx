import type { ReactNode } from 'react'

type KeyValuesProps = {
  items: readonly (readonly [name: string, value: ReactNode])[]
  /** Side by side in a row of facts, or below each other in two columns. */
  layout?: 'row' | 'list'
}

/** Facts about one thing, each below or next to its name. Use a table for many similar things. */
export const KeyValues = ({ items, layout = 'list' }: KeyValuesProps) => (
  <dl className={layout === 'row' ? 'facts' : 'key-values'}>
    {items.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
