import { type MouseEvent, type ReactNode, useSyncExternalStore } from 'react'
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

/** Where columns that are `wide` are left out, as the style sheet has it. */
const narrow = matchMedia('(max-width: 760px)')

const subscribe = (tell: () => void) => {
  narrow.addEventListener('change', tell)
  return () => narrow.removeEventListener('change', tell)
}

type OpenedRowProps<Row> = { columns: readonly Column<Row>[]; isTickable: boolean; children: ReactNode }

/** What an open row shows. It spans the columns that are seen: one that spanned more would make room for the others. */
const OpenedRow = <Row,>({ columns, isTickable, children }: OpenedRowProps<Row>) => {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches)
  const seen = columns.filter(({ isWide }) => !(isNarrow && isWide))
  return (
    <tr className="opened">
      <td colSpan={seen.length + (isTickable ? 1 : 0)}>{children}</td>
    </tr>
  )
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
        <OpenedRow columns={columns} isTickable={isTicked !== undefined}>
          {renderOpen(row)}
        </OpenedRow>
      )}
    </tbody>
  )
}
