import { functionalUpdate, type RowSelectionState, useTable } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { type Column, features, toColumnDefs } from './columns.ts'
import type { ServedSorting } from './sorting.ts'
import type { TableSearch } from './use-table-search.tsx'

/** Rows by index: an array, or a list that creates each row when it is read. */
type RowList<Row> = { readonly length: number; at(index: number): Row | undefined }

export type DataTableProps<Row> = {
  /** The name of the table, for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined until the first page is loaded. */
  rows: readonly Row[] | RowList<Row> | undefined
  toId: (row: Row) => string
  /** Shown in place of a table without rows. */
  empty: ReactNode
  error?: unknown
  onRetry?: () => void
  hasMore?: boolean
  isLoadingMore?: boolean
  onLoadMore?: () => void
  /** For a list that the service sorts. Other lists sort by the columns with a value, once they are loaded as a whole. */
  served?: ServedSorting | undefined
  /** Searches and counts the rows, for lists that are loaded as a whole. */
  search?: TableSearch<Row>
  /** Opens a row, by Enter or a click. Without it, the row's first link is followed. */
  onOpen?: (row: Row) => void
  /** The row that is expanded in place, and its content. */
  openId?: string | undefined
  renderOpen?: (row: Row) => ReactNode
  /** The ids of the selected rows. Rows can be selected if it is given. */
  ticked?: ReadonlySet<string>
  onTick?: (ids: ReadonlySet<string>) => void
  /** The maximum height in pixels. By default, the rest of the window. */
  height?: number
}

export const rowHeight = 32
const estimateSize = () => rowHeight
/** The next page is loaded this many rows before the end. */
const loadAhead = 30

/** The rows in view and their positions. */
const useRowsInView = <Row>(
  { rows, toId, renderOpen }: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
) => {
  // A new function would measure every row again, and callers pass a new one with each render.
  const latestToId = useRef(toId)
  latestToId.current = toId
  const getItemKey = useCallback(
    (index: number) => {
      const row = rows?.at(index)
      return row === undefined ? index : latestToId.current(row)
    },
    [rows],
  )
  // Rows that expand in place keep their measured height by id. All other rows have the same height and are not measured.
  return useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize,
    ...(renderOpen && { getItemKey }),
    overscan: 12,
    initialRect: { width: 800, height: 800 },
  })
}

const useMoreNearEnd = <Row>(
  { rows = [], hasMore, isLoadingMore, error, onLoadMore }: DataTableProps<Row>,
  end: number,
) => {
  const isNear = end >= rows.length - loadAhead
  useEffect(() => {
    if (isNear && hasMore && !isLoadingMore && !error) onLoadMore?.()
  }, [isNear, hasMore, isLoadingMore, error, onLoadMore])
}

const noRows: ReadonlySet<string> = new Set()

const toSelection = (ids: ReadonlySet<string>): RowSelectionState =>
  Object.fromEntries([...ids].map((id) => [id, true as const]))

/**
 * The model of a table: its columns, its selection, and the rows in view. A list of a hundred thousand rows makes a row model of
 * the few dozen that are drawn.
 */
export const useDataTable = <Row extends object>(
  props: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
) => {
  const { columns, rows, toId, ticked = noRows, onTick } = props
  const virtual = useRowsInView(props, scroller)
  const items = virtual.getVirtualItems().filter(({ index }) => rows?.at(index) !== undefined)
  useMoreNearEnd(props, items.at(-1)?.index ?? 0)
  const rowSelection = useMemo(() => toSelection(ticked), [ticked])
  const table = useTable({
    features,
    columns: useMemo(() => toColumnDefs(columns), [columns]),
    // A row may be an array itself.
    data: items.flatMap(({ index }) => {
      const row = rows?.at(index)
      return row === undefined ? [] : [row]
    }),
    getRowId: toId,
    state: { rowSelection },
    onRowSelectionChange: (updater) => onTick?.(new Set(Object.keys(functionalUpdate(updater, rowSelection)))),
  })
  return { table, items, virtual }
}
