import type { ReactNode } from 'react'

type EmptyProps = { title: string; action?: ReactNode; children?: ReactNode }

/** What stands where there is nothing yet: what would be here, and how to make the first. */
export const Empty = ({ title, action, children }: EmptyProps) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children && <div>{children}</div>}
    {action && <div className="actions">{action}</div>}
  </div>
)
