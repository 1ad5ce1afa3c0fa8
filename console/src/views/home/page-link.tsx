import type { ReactNode } from 'react'
import { Link } from '../../address.tsx'
import { findPage } from '../../pages.ts'

/** Links to a page of the console; plain text if it has no page. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) =>
  findPage(to) ? <Link to={to}>{children}</Link> : <span>{children}</span>
