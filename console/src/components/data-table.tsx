import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { memo, type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'
import { Checkbox } from './choices.tsx'
import { DataRow, openRow, type RowActs } from './data-row.tsx'
import { FailureNotice } from './notice.tsx'
import { useRowKeys } from './use-row-keys.ts'

/** Rows by their place: an array, or what has as many without all of them being there. */
type RowList<Row> = { readonly length: number; at(index: number): Row | undefined }

/** A column of a table: what it is called, and what a row shows in it. */
export type Column<Row> = {
  key: string
  title: string
  cell: (row: Row) => ReactNode
  /** In pixels. Those without share what is left. */
  width?: number
  align?: 'end'
  /** Left out where there is little room. */
  isWide?: true
}

export type DataTableProps<Row> = {
  /** What the table lists, for readers by ear. */
  label: string
  columns: readonly Column<Row>[]
  /** Undefined while the first are awaited. */
  rows: readonly Row[] | RowList<Row> | undefined
  toId: (row: Row) => string
  /** Stands here when there are none. */
  empty: ReactNode
  error?: unknown
  onRetry?: () => void
  hasMore?: boolean
  isLoadingMore?: boolean
  onLoadMore?: () => void
  /** Enter, or a press on the row. Without it, the row's first link is followed. */
  onOpen?: (row: Row) => void
  /** The row that is open in its place, and what it shows. */
  openId?: string | undefined
  renderOpen?: (row: Row) => ReactNode
  /** The ticked rows by id; with it, rows can be ticked. */
  ticked?: ReadonlySet<string>
  onTick?: (ids: ReadonlySet<string>) => void
  /** The highest that it gets, in pixels. Unless told, what the window leaves. */
  height?: number
}

const rowHeight = 32
const loadingRows = [...Array(8).keys()]
const estimateSize = () => rowHeight
/** How many rows before the end the next are asked for. */
const loadAhead = 30

const listIds = <Row,>(rows: RowList<Row>, toId: (row: Row) => string): string[] =>
  Array.from({ length: rows.length }, (_, index) => rows.at(index)).flatMap((row) =>
    row === undefined ? [] : toId(row),
  )

const Head = <Row,>({ columns, rows = [], toId, ticked, onTick }: DataTableProps<Row>) => {
  // As many ticks as rows at least: only then is it worth it to look at each.
  const isAll =
    ticked !== undefined &&
    rows.length > 0 &&
    ticked.size >= rows.length &&
    listIds(rows, toId).every((id) => ticked.has(id))
  return (
    <thead>
      <tr>
        {ticked && onTick && (
          <th className="tick" scope="col">
            <Checkbox
              label="Tick all"
              isLabelHidden
              checked={isAll}
              isMixed={!isAll && ticked.size > 0}
              onChange={(isOn) => onTick(new Set(isOn ? listIds(rows, toId) : []))}
            />
          </th>
        )}
        {columns.map(({ key, title, align, isWide }) => (
          <th key={key} scope="col" data-align={align} className={isWide ? 'wide' : undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
  )
}

const Widths = <Row,>({ columns, ticked }: DataTableProps<Row>) => (
  <colgroup>
    {ticked && <col style={{ width: 34 }} />}
    {columns.map(({ key, width, isWide }) => (
      <col key={key} className={isWide ? 'wide' : undefined} style={width === undefined ? undefined : { width }} />
    ))}
  </colgroup>
)

/** Space in place of the rows that are not drawn. */
const Gap = ({ height }: { height: number }) =>
  height > 0 ? (
    <tbody aria-hidden="true">
      <tr style={{ height }} />
    </tbody>
  ) : null

const LoadingRows = ({ columns }: { columns: number }) => (
  <tbody aria-hidden="true" className="loading-rows">
    {loadingRows.map((row) => (
      <tr key={row} style={{ height: rowHeight }}>
        <td colSpan={columns}>
          <span className="skeleton-line" />
        </td>
      </tr>
    ))}
  </tbody>
)

const useMoreNearEnd = <Row,>(
  { rows = [], hasMore, isLoadingMore, error, onLoadMore }: DataTableProps<Row>,
  end: number,
) => {
  const isNear = end >= rows.length - loadAhead
  useEffect(() => {
    if (isNear && hasMore && !isLoadingMore && !error) onLoadMore?.()
  }, [isNear, hasMore, isLoadingMore, error, onLoadMore])
}

/** Which rows are drawn, and where each lies. */
const useDrawnRows = <Row,>(
  { rows, toId, renderOpen }: DataTableProps<Row>,
  scroller: RefObject<HTMLDivElement | null>,
) => {
  // Another function would have all rows laid out anew; callers give one for each drawing.
  const toLatestId = useRef(toId)
  toLatestId.current = toId
  const toKey = useCallback(
    (index: number) => {
      const row = rows?.at(index)
      return row === undefined ? index : toLatestId.current(row)
    },
    [rows],
  )
  // Where rows open in their place, each is as high as it was when it was drawn last, and is known again by its id. Elsewhere all
  // are alike, so that none is measured, and their places are as many sums.
  return useVirtualizer({
    count: rows?.length ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize,
    ...(renderOpen && { getItemKey: toKey }),
    overscan: 12,
    initialRect: { width: 800, height: 800 },
  })
}

/** What can be done with a row: the same functions all the time, which do what the table is told last. */
const useRowActs = <Row,>(table: DataTableProps<Row>): RowActs<Row> => {
  const latest = useRef(table)
  latest.current = table
  return useMemo(
    () => ({
      open: (row, element) => openRow(latest.current, row, element),
      tick: (row, isOn) => {
        const { ticked, onTick, toId } = latest.current
        const next = new Set(ticked)
        if (isOn) next.add(toId(row))
        else next.delete(toId(row))
        onTick?.(next)
      },
    }),
    [],
  )
}

// A scroll draws the rows that come; those that stay are as they were.
const DrawnRow = memo(DataRow) as typeof DataRow

type RowsProps<Row> = {
  table: DataTableProps<Row>
  items: readonly VirtualItem[]
  active: number
  measure: (element: HTMLElement | null) => void
}

/** The rows that are drawn. */
const Rows = <Row,>({ table, items, active, measure }: RowsProps<Row>) => {
  const { columns, rows, toId, ticked, onTick, openId, renderOpen } = table
  const acts = useRowActs(table)
  return items.map(({ index }) => {
    const row = rows?.at(index)
    if (row === undefined) return null
    const id = toId(row)
    return (
      <DrawnRow
        key={id}
        row={row}
        index={index}
        isActive={index === active}
        isTicked={onTick && ticked?.has(id)}
        columns={columns}
        renderOpen={openId === id ? renderOpen : undefined}
        acts={acts}
        measure={renderOpen && measure}
      />
    )
  })
}

/**
 * The table of every list: rows of one line, of which only those that are seen are drawn, so that a hundred thousand scroll
 * as ten do. j and k (or the arrows) go from row to row, Enter opens, x ticks. A handful of facts is a `KeyValues`.
 */
export const DataTable = <Row,>(props: DataTableProps<Row>) => {
  const { label, columns, rows, empty, error, onRetry, isLoadingMore, height, ticked, onTick } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useDrawnRows(props, scroller)
  const items = virtual.getVirtualItems()
  const keys = useRowKeys({ props, scroller, scrollTo: virtual.scrollToIndex })
  useMoreNearEnd(props, items.at(-1)?.index ?? 0)
  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  if (error !== undefined && error !== null && !rows)
    return <FailureNotice error={error} {...(onRetry && { onRetry })} />
  if (rows?.length === 0) return <>{empty}</>
  return (
    <div className="data-table" ref={scroller} style={height === undefined ? undefined : { maxHeight: height }}>
      <table
        aria-label={label}
        aria-rowcount={props.hasMore ? -1 : (rows?.length ?? -1)}
        aria-busy={!rows}
        onKeyDown={keys.onKeyDown}
      >
        <Widths {...props} />
        <Head {...props} />
        {!rows && <LoadingRows columns={columns.length + (ticked && onTick ? 1 : 0)} />}
        <Gap height={before} />
        <Rows table={props} items={items} active={keys.active} measure={virtual.measureElement} />
        <Gap height={after} />
      </table>
      {isLoadingMore && (
        <p className="data-table-more" role="status">
          Loading more…
        </p>
      )}
      {error !== undefined && error !== null && rows && <FailureNotice error={error} {...(onRetry && { onRetry })} />}
    </div>
  )
}
