import type { ReactNode } from 'react'

type PageHeaderProps = {
  title: ReactNode
  /** A sentence on what the page is for; left out where the title says it. */
  lead?: ReactNode
  /** States and sorts beside the title. */
  badges?: ReactNode
  /** What can be done here, the one that is done most at the end. */
  actions?: ReactNode
  /** The way back, where the page stands within another. */
  crumbs?: ReactNode
}

/** What a page begins with: what it is, and what can be done on it. One line high where there is room. */
export const PageHeader = ({ title, lead, badges, actions, crumbs }: PageHeaderProps) => (
  <header className="page-header">
    {crumbs && <div className="crumbs">{crumbs}</div>}
    <div className="page-header-line">
      <h1>{title}</h1>
      {badges && <div className="page-header-badges">{badges}</div>}
      {actions && <div className="page-header-actions">{actions}</div>}
    </div>
    {lead && <p className="lead">{lead}</p>}
  </header>
)
