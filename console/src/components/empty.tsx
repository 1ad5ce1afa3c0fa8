import type { ReactNode } from 'react'

type EmptyProps = { title: string; action?: ReactNode; children?: ReactNode }

/** Shown in place of an empty list: what belongs here, and how to create the first item. */
export const Empty = ({ title, action, children }: EmptyProps) => (
  <div className="empty">
    <p className="empty-title">{title}</p>
    {children && <div>{children}</div>}
    {action && <div className="actions">{action}</div>}
  </div>
)
