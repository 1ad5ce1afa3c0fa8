import { createLink, useLocation } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useEffect, useRef } from 'react'
import { toAmount } from '../plural.ts'

type TabAnchorProps = { count?: number | undefined; children: ReactNode; ref?: Ref<HTMLAnchorElement> } & Omit<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  'children' | 'className'
>

const TabAnchor = ({ count, children, ...anchor }: TabAnchorProps) => (
  <a {...anchor} className="tab">
    {children}
    {count !== undefined && count > 0 && <span className="tab-count">{toAmount(count)}</span>}
  </a>
)

/** A tab that links to its own page. It takes the properties of the router's `Link`. */
export const TabLink = createLink(TabAnchor)

/** A row of links to the pages of one thing, such as a Brain: `TabLink`s. */
export const LinkTabs = ({ label, children }: { label: string; children: ReactNode }) => {
  const tabs = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // On narrow screens, the tab of the open page is scrolled into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is another tab
  useEffect(() => {
    const { current } = tabs
    const open = current?.querySelector<HTMLElement>('[aria-current=page]')
    if (current && open) current.scrollLeft = open.offsetLeft - (current.clientWidth - open.clientWidth) / 2
  }, [pathname])
  return (
    <nav className="tabs" aria-label={label} ref={tabs}>
      {children}
    </nav>
  )
}
