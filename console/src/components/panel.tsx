import { type ReactNode, useId } from 'react'

type PanelProps = {
  title: ReactNode
  description?: ReactNode
  actions?: ReactNode
  /** Its name for screen readers, where several panels of a page have the same title. */
  label?: string
  /** For a table or list that reaches the edges. */
  isFlush?: boolean
  children: ReactNode
}

/** A titled box on a page. A page that is a single table needs none. */
export const Panel = ({ title, label, description, actions, isFlush = false, children }: PanelProps) => {
  const id = useId()
  return (
    <section
      className={isFlush ? 'panel flush' : 'panel'}
      aria-label={label}
      aria-labelledby={label === undefined ? id : undefined}
    >
      <div className="panel-head">
        <h2 id={id}>{title}</h2>
        {description && <p className="panel-description">{description}</p>}
        {actions && <div className="panel-actions">{actions}</div>}
      </div>
      <div className="panel-body">{children}</div>
    </section>
  )
}
