import { useMemo, useRef } from 'react'
import { Checkbox } from '../choices.tsx'
import { FailureNotice } from '../notice.tsx'
import type { Column } from './columns.ts'
import { DataRow } from './data-row.tsx'
import { SortHead, toAriaSort } from './sort-head.tsx'
import { type Sorting, useSorting } from './sorting.ts'
import { type DataTableProps, rowHeight, useDataTable } from './use-data-table.ts'
import { openRow, useRowKeys } from './use-row-keys.ts'
import { useTableSearch } from './use-table-search.tsx'

const loadingRows = [...Array(8).keys()]

const listIds = <Row,>({ rows = [], toId }: DataTableProps<Row>): string[] =>
  Array.from({ length: rows.length }, (_, index) => rows.at(index)).flatMap((row) =>
    row === undefined ? [] : toId(row),
  )

/** Selects all rows of the list, which are more than the rows in view. */
const SelectAll = <Row,>(props: DataTableProps<Row>) => {
  const { rows = [], ticked, onTick } = props
  if (!ticked || !onTick) return null
  // Each row is checked only if the selection is large enough to contain them all.
  const isAll = rows.length > 0 && ticked.size >= rows.length && listIds(props).every((id) => ticked.has(id))
  return (
    <th className="tick" scope="col">
      <Checkbox
        label="Select all"
        isLabelHidden
        checked={isAll}
        isMixed={!isAll && ticked.size > 0}
        onChange={(isOn) => onTick(new Set(isOn ? listIds(props) : []))}
      />
    </th>
  )
}

type WidthsProps<Row> = { columns: readonly Column<Row>[]; isTickable: boolean }

const Widths = <Row,>({ columns, isTickable }: WidthsProps<Row>) => (
  <colgroup>
    {isTickable && <col style={{ width: 34 }} />}
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

type ModelProps<Row extends object> = {
  props: DataTableProps<Row>
  model: ReturnType<typeof useDataTable<Row>>
  active: number
}

type HeadProps<Row extends object> = Omit<ModelProps<Row>, 'active'> & {
  order: Pick<ReturnType<typeof useSorting<Row>>, 'sorting' | 'canSort' | 'sortBy'>
}

const toOrder = (key: string, sorting: Sorting | undefined): boolean | undefined =>
  sorting?.key === key ? sorting.isDescending : undefined

const Head = <Row extends object>({ props, model: { table }, order: { sorting, canSort, sortBy } }: HeadProps<Row>) => (
  <thead>
    <tr>
      <SelectAll {...props} />
      {table.getFlatHeaders().map(({ id, column: { columnDef } }) => (
        <th
          key={id}
          scope="col"
          data-align={columnDef.meta?.align}
          className={columnDef.meta?.isWide && 'wide'}
          aria-sort={toAriaSort(toOrder(id, sorting))}
        >
          {canSort(id) ? (
            <SortHead title={String(columnDef.header)} isDescending={toOrder(id, sorting)} onSort={() => sortBy(id)} />
          ) : columnDef.header === '' ? (
            <span className="off-screen">Actions</span>
          ) : (
            String(columnDef.header)
          )}
        </th>
      ))}
    </tr>
  </thead>
)

/** The rows in view. */
const Rows = <Row extends object>({ props, model: { table, items, virtual }, active }: ModelProps<Row>) => {
  const { columns, onTick, openId, renderOpen } = props
  const latest = useRef(props)
  latest.current = props
  const onOpen = useMemo(() => (row: Row, element: Element) => openRow(latest.current, row, element), [])
  return table
    .getRowModel()
    .rows.map((row, position) => (
      <DataRow
        key={row.id}
        row={row}
        index={items[position]?.index ?? 0}
        isActive={items[position]?.index === active}
        isSelected={onTick && row.getIsSelected()}
        columns={columns}
        isExpandable={renderOpen !== undefined}
        renderOpen={openId === row.id ? renderOpen : undefined}
        onOpen={onOpen}
        measure={renderOpen && virtual.measureElement}
      />
    ))
}

/**
 * The table of every list: one-line rows, of which only those in view are drawn. j and k (or the arrows) move from row to row,
 * Enter opens, x selects. A press on the title of a column sorts the list where it can be sorted as a whole. A short list of facts is a `KeyValues`.
 */
export const DataTable = <Row extends object>(given: DataTableProps<Row>) => {
  const { line, ...found } = useTableSearch(given)
  const order = useSorting({ ...given, ...found })
  const table = <Table props={{ ...given, ...found, rows: order.rows }} order={order} />
  return line ? (
    <div className="searched-table">
      {line}
      {table}
    </div>
  ) : (
    table
  )
}

type Order<Row extends object> = HeadProps<Row>['order']

const Table = <Row extends object>({ props, order }: { props: DataTableProps<Row>; order: Order<Row> }) => {
  const { label, columns, rows, empty, error, onRetry, isLoadingMore, height, ticked, onTick } = props
  const scroller = useRef<HTMLDivElement>(null)
  const model = useDataTable(props, scroller)
  const { items, virtual } = model
  const keys = useRowKeys({ props, scroller, scrollTo: virtual.scrollToIndex })
  const isTickable = ticked !== undefined && onTick !== undefined
  const failure = error !== undefined && error !== null && <FailureNotice error={error} {...(onRetry && { onRetry })} />
  if (failure && !rows) return failure
  if (rows?.length === 0) return <>{empty}</>
  return (
    <div className="data-table" ref={scroller} style={height === undefined ? undefined : { maxHeight: height }}>
      <table
        aria-label={label}
        aria-rowcount={props.hasMore ? -1 : (rows?.length ?? -1)}
        aria-busy={!rows}
        onKeyDown={keys.onKeyDown}
      >
        <Widths columns={columns} isTickable={isTickable} />
        <Head props={props} model={model} order={order} />
        {!rows && <LoadingRows columns={columns.length + (isTickable ? 1 : 0)} />}
        <Gap height={items[0]?.start ?? 0} />
        <Rows props={props} model={model} active={keys.active} />
        <Gap height={virtual.getTotalSize() - (items.at(-1)?.end ?? 0)} />
      </table>
      {isLoadingMore && (
        <p className="data-table-more" role="status">
          Loading more…
        </p>
      )}
      {failure}
    </div>
  )
}
