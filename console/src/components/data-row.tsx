import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'
import { Checkbox } from './choices.tsx'
import type { DataTableProps } from './data-table.tsx'

type DataRowProps<Row> = {
  row: Row
  index: number
  isActive: boolean
  table: DataTableProps<Row>
  measure: (element: HTMLElement | null) => void
}

const isOnControl = ({ target, currentTarget }: MouseEvent): boolean =>
  target instanceof Element && currentTarget.contains(target.closest('a, button, input, label, select, summary'))

/** Opens a row: by what the table says, or by following its first link. */
export const openRow = <Row,>(table: DataTableProps<Row>, row: Row, element: Element | null): void => {
  if (table.onOpen) table.onOpen(row)
  else element?.querySelector<HTMLAnchorElement>('a[href]')?.click()
}

const narrow = matchMedia('(max-width: 760px)')

const subscribeToWidth = (listener: () => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

type OpenedProps<Row> = { table: DataTableProps<Row>; children: ReactNode }

/** What an open row shows. It spans the columns that are there: one that spanned more would make room for those left out. */
const OpenedRow = <Row,>({ table: { columns, ticked }, children }: OpenedProps<Row>) => {
  const isNarrow = useSyncExternalStore(subscribeToWidth, () => narrow.matches)
  const shown = columns.filter(({ isWide }) => !(isNarrow && isWide))
  return (
    <tr className="opened">
      <td colSpan={shown.length + (ticked ? 1 : 0)}>{children}</td>
    </tr>
  )
}

/** A row, and under it what it shows when it is open. */
export const DataRow = <Row,>({ row, index, isActive, table, measure }: DataRowProps<Row>) => {
  const { columns, toId, ticked, onTick, openId, renderOpen } = table
  const id = toId(row)
  const isOpen = renderOpen !== undefined && openId === id
  const tick = (isOn: boolean) => {
    const next = new Set(ticked)
    if (isOn) next.add(id)
    else next.delete(id)
    onTick?.(next)
  }
  return (
    <tbody ref={measure} data-index={index}>
      <tr
        data-row={index}
        tabIndex={isActive ? 0 : -1}
        aria-rowindex={index + 2}
        data-open={isOpen || undefined}
        data-ticked={ticked?.has(id) || undefined}
        onClick={(event) => {
          const isSelecting = (getSelection()?.toString() ?? '') !== ''
          if (!isOnControl(event) && !isSelecting) openRow(table, row, event.currentTarget)
        }}
      >
        {ticked && onTick && (
          <td className="tick">
            <Checkbox label={`Tick row ${index + 1}`} isLabelHidden checked={ticked.has(id)} onChange={tick} />
          </td>
        )}
        {columns.map(({ key, cell, align, isWide }) => (
          <td key={key} data-align={align} className={isWide ? 'wide' : undefined}>
            {cell(row)}
          </td>
        ))}
      </tr>
      {isOpen && <OpenedRow table={table}>{renderOpen(row)}</OpenedRow>}
    </tbody>
  )
}
