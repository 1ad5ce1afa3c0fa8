import type { MouseEvent, ReactNode } from 'react'
import { Checkbox } from './choices.tsx'
import type { Column, DataTableProps } from './data-table.tsx'

/** What can be done with a row. */
export type RowActs<Row> = {
  open: (row: Row, element: Element) => void
  tick: (row: Row, isOn: boolean) => void
}

type DataRowProps<Row> = {
  row: Row
  index: number
  isActive: boolean
  /** Undefined where rows cannot be ticked. */
  isTicked: boolean | undefined
  columns: readonly Column<Row>[]
  /** What an open row shows. */
  renderOpen: ((row: Row) => ReactNode) | undefined
  acts: RowActs<Row>
  measure: ((element: HTMLElement | null) => void) | undefined
}

const isOnControl = ({ target, currentTarget }: MouseEvent): boolean =>
  target instanceof Element && currentTarget.contains(target.closest('a, button, input, label, select, summary'))

/** Opens a row: by what the table says, or by following its first link. */
export const openRow = <Row,>(table: DataTableProps<Row>, row: Row, element: Element | null): void => {
  if (table.onOpen) table.onOpen(row)
  else element?.querySelector<HTMLAnchorElement>('a[href]')?.click()
}

/** A row, and under it what it shows when it is open. */
export const DataRow = <Row,>(props: DataRowProps<Row>) => {
  const { row, index, isActive, isTicked, columns, renderOpen, acts, measure } = props
  return (
    <tbody ref={measure} data-index={index}>
      <tr
        data-row={index}
        tabIndex={isActive ? 0 : -1}
        aria-rowindex={index + 2}
        data-open={renderOpen !== undefined || undefined}
        data-ticked={isTicked || undefined}
        onClick={(event) => {
          const isSelecting = (getSelection()?.toString() ?? '') !== ''
          if (!isOnControl(event) && !isSelecting) acts.open(row, event.currentTarget)
        }}
      >
        {isTicked !== undefined && (
          <td className="tick">
            <Checkbox
              label={`Tick row ${index + 1}`}
              isLabelHidden
              checked={isTicked}
              onChange={(isOn) => acts.tick(row, isOn)}
            />
          </td>
        )}
        {columns.map(({ key, cell, align, isWide }) => (
          <td key={key} data-align={align} className={isWide ? 'wide' : undefined}>
            {cell(row)}
          </td>
        ))}
      </tr>
      {renderOpen && (
        <tr className="opened">
          <td colSpan={columns.length + (isTicked === undefined ? 0 : 1)}>{renderOpen(row)}</td>
        </tr>
      )}
    </tbody>
  )
}
