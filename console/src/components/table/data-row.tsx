import type { Row as TableRow } from '@tanstack/react-table'
import { type MouseEvent, memo, type ReactNode, useSyncExternalStore } from 'react'
import { Checkbox } from '../choices.tsx'
import { Icon } from '../icon.tsx'
import type { Features } from './columns.ts'

type DataRowProps<Row extends object> = {
  row: TableRow<Features, Row>
  index: number
  isActive: boolean
  /** Undefined if rows cannot be selected. */
  isSelected: boolean | undefined
  /** The columns that the row was drawn with. */
  columns: unknown
  /** True if the row expands in place. */
  isExpandable: boolean
  /** The content of an expanded row. */
  renderOpen: ((row: Row) => ReactNode) | undefined
  onOpen: (row: Row, element: Element) => void
  measure: ((element: HTMLElement | null) => void) | undefined
}

/** True for a click on a control of the row, or in a menu or dialog of it: React passes such a click on to the row. */
const isOnControl = ({ target, currentTarget }: MouseEvent): boolean =>
  target instanceof Element &&
  (!currentTarget.contains(target) ||
    currentTarget.contains(target.closest('a, button, input, label, select, summary')))

/** The width below which the style sheet hides `wide` columns. */
const narrow = matchMedia('(max-width: 760px)')

const subscribe = (notify: () => void) => {
  narrow.addEventListener('change', notify)
  return () => narrow.removeEventListener('change', notify)
}

/** An expanded row. It spans the visible columns: a wider span would make room for hidden ones. */
const OpenedRow = <Row extends object>({ row, isSelected, renderOpen }: DataRowProps<Row>) => {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches)
  const shown = row.getAllCells().filter(({ column }) => !(isNarrow && column.columnDef.meta?.isWide))
  return (
    <tr className="opened">
      <td colSpan={shown.length + (isSelected === undefined ? 0 : 1)}>{renderOpen?.(row.original)}</td>
    </tr>
  )
}

type CellsProps<Row extends object> = {
  row: TableRow<Features, Row>
  /** Shown in front of the first cell. */
  lead: ReactNode
}

/** The cells of a row. Each is called, not mounted as a component, because callers may pass new columns with each render. */
const Cells = <Row extends object>({ row, lead }: CellsProps<Row>) =>
  row.getAllCells().map((cell, position) => {
    const { cell: content, meta } = cell.column.columnDef
    return (
      <td key={cell.id} data-align={meta?.align} className={meta?.isWide ? 'wide' : undefined}>
        {position === 0 && lead}
        {typeof content === 'function' && content(cell.getContext())}
      </td>
    )
  })

type ToggleProps = { isOpen: boolean; isActive: boolean; onToggle: (row: Element) => void }

/** Shows that a row expands, and expands it. Enter on the row does the same. */
const Toggle = ({ isOpen, isActive, onToggle }: ToggleProps) => (
  <button
    type="button"
    className="row-toggle"
    aria-label="Details"
    aria-expanded={isOpen}
    tabIndex={isActive ? 0 : -1}
    onClick={({ currentTarget }) => onToggle(currentTarget)}
  >
    <Icon name="chevron" />
  </button>
)

const DrawnRow = <Row extends object>(props: DataRowProps<Row>) => {
  const { row, index, isActive, isSelected, isExpandable, renderOpen, onOpen, measure } = props
  const isOpen = renderOpen !== undefined
  const toggle = (element: Element) => onOpen(row.original, element)
  return (
    <tbody ref={measure} data-index={index}>
      <tr
        data-row={index}
        tabIndex={isActive ? 0 : -1}
        aria-rowindex={index + 2}
        data-open={isOpen || undefined}
        data-ticked={isSelected || undefined}
        onClick={(event) => {
          const isSelectingText = (getSelection()?.toString() ?? '') !== ''
          if (!isOnControl(event) && !isSelectingText) onOpen(row.original, event.currentTarget)
        }}
      >
        {isSelected !== undefined && (
          <td className="tick">
            <Checkbox
              label={`Select row ${index + 1}`}
              isLabelHidden
              checked={isSelected}
              onChange={(isOn) => row.toggleSelected(isOn)}
            />
          </td>
        )}
        <Cells row={row} lead={isExpandable && <Toggle isOpen={isOpen} isActive={isActive} onToggle={toggle} />} />
      </tr>
      {renderOpen && <OpenedRow {...props} />}
    </tbody>
  )
}

const isSame = <Row extends object>(
  { row: before, ...a }: DataRowProps<Row>,
  { row: after, ...b }: DataRowProps<Row>,
) => before.original === after.original && (Object.keys(a) as (keyof typeof a)[]).every((key) => a[key] === b[key])

/** A row, and its content below it if it is expanded. A scroll draws new rows only. */
export const DataRow = memo(DrawnRow, isSame) as typeof DrawnRow
