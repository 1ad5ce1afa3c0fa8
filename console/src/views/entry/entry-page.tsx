import type { ReactNode } from 'react'
import { basePath } from '../../base-path.ts'
import { Mark } from '../../components/mark.tsx'
import { ThemeToggle } from '../../components/theme-toggle.tsx'

/** The layout of the pages before the sign-in: one card in the middle. */
export const EntryPage = ({ title, lead, children }: { title: string; lead?: ReactNode; children: ReactNode }) => (
  <div className="entry">
    <header className="entry-head">
      <a href={`${basePath}/`} className="brand">
        <Mark size={26} />
        Noema
      </a>
      <ThemeToggle />
    </header>
    <main className="entry-card" id="main" tabIndex={-1}>
      <h1>{title}</h1>
      {lead && <p className="lead">{lead}</p>}
      {children}
    </main>
  </div>
)
