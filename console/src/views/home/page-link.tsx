import type { ReactNode } from 'react'
import { Link } from '../../address.tsx'
import { findPage } from '../../pages.ts'

/** Leads to a page of the console; plain words where there is none for it. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) =>
  findPage(to) ? <Link to={to}>{children}</Link> : <span>{children}</span>
