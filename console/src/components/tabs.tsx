import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { toAmount } from '../plural.ts'

type Tab<Value extends string> = { value: Value; name: string; count?: number | undefined; content: () => ReactNode }

type TabsProps<Value extends string> = {
  label: string
  tabs: readonly Tab<Value>[]
  value: Value
  onChange: (value: Value) => void
}

/** Several views of one thing on a page. The URL says which one is open. Use links for separate pages. */
export const Tabs = <Value extends string>({ label, tabs, value, onChange }: TabsProps<Value>) => {
  const choose = (chosen: unknown) => {
    const tab = tabs.find((one) => one.value === chosen)
    if (tab) onChange(tab.value)
  }
  return (
    <Base.Root className="tabs-root" value={value} onValueChange={choose}>
      <Base.List className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className="tab">
            {tab.name}
            {tab.count !== undefined && <span className="tab-count">{toAmount(tab.count)}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.content()}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
