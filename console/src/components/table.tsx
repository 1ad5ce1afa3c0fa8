import type { ReactNode } from 'react'
import { Link, withQuery } from '../address.tsx'
import { Time } from './time.tsx'

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

type VersionRowProps = {
  item: { id: string; version: number; updatedAt: string }
  /** Where the address tells which thing is open. */
  name: 'record' | 'document'
  isOpen: boolean
  cells: ReactNode
  columns: number
  children: ReactNode
}

/** The row of a thing that has versions, which opens: `children` are what is inside. */
export const VersionRow = ({
  item: { id, version, updatedAt },
  name,
  isOpen,
  cells,
  columns,
  children,
}: VersionRowProps) => (
  <>
    <tr>
      {cells}
      <td className="wide number">{version}</td>
      <td className="wide">
        <Time iso={updatedAt} />
      </td>
      <td className="end">
        <Link to={withQuery({ [name]: isOpen ? undefined : id })} className="button small">
          {isOpen ? 'Close' : 'Open'}
        </Link>
      </td>
    </tr>
    {isOpen && (
      <tr className="opened">
        <td colSpan={columns}>{children}</td>
      </tr>
    )}
  </>
)
