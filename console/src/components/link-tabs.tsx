import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react'

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
export const LinkTabs = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className="tabs" aria-label={label}>
    {children}
  </nav>
)
