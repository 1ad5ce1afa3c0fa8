import { createLink, useLocation } from '@tanstack/react-router'
import { type AnchorHTMLAttributes, type ReactNode, type Ref, useEffect, useRef } from 'react'

type TabAnchorProps = { count?: number | undefined; children: ReactNode; ref?: Ref<HTMLAnchorElement> } & Omit<
  AnchorHTMLAttributes<HTMLAnchorElement>,
  'children' | 'className'
>

const TabAnchor = ({ count, children, ...anchor }: TabAnchorProps) => (
  <a {...anchor} className="tab">
    {children}
    {count !== undefined && count > 0 && <span className="tab-count">{count.toLocaleString('en')}</span>}
  </a>
)

/** One tab that is a page of its own. Takes what the router's `Link` takes. */
export const TabLink = createLink(TabAnchor)

/** The pages of one thing beside each other, such as those of a Brain: `TabLink`s. */
export const LinkTabs = ({ label, children }: { label: string; children: ReactNode }) => {
  const tabs = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // Where there is little room, the tab of the page that is open is not left out of sight.
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
