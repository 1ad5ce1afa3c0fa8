import type { ReactNode } from 'react'

type TableProps = {
  /** What each column is called, and its classes: what is `wide` is left out where there is little room. */
  columns: readonly (readonly [title: string, className?: string])[]
  /** Whether a last column holds what can be done with a row. */
  hasActions?: boolean
  children: ReactNode
}

export const Table = ({ columns, hasActions = false, children }: TableProps) => (
  <table>
    <thead>
      <tr>
        {columns.map(([title, className]) => (
          <th key={title} scope="col" className={className}>
            {title}
          </th>
        ))}
        {hasActions && <td />}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
