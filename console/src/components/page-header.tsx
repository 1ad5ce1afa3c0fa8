import type { ReactNode } from 'react'

type PageHeaderProps = {
  title: ReactNode
  /** A sentence on the purpose of the page, unless the title is enough. */
  lead?: ReactNode
  /** States and types next to the title. */
  badges?: ReactNode
  /** The actions of the page, the most frequent one last. */
  actions?: ReactNode
  /** The link back to the parent page. */
  crumbs?: ReactNode
}

/** The header of a page: its title and its actions, in one line if there is room. */
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
