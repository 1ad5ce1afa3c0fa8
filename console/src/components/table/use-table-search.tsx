import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { toAmount } from '../../plural.ts'
import { Empty } from '../empty.tsx'
import { SearchInput } from '../search-input.tsx'
import type { DataTableProps } from './use-data-table.ts'

/** Searches the rows of a list: `toText` is what of a row is searched, `what` the names of one row and of many. */
export type TableSearch<Row> = { label: string; what: readonly [string, string]; toText: (row: Row) => string }

/** Lists of up to so many rows need no search. */
const fewRows = 5
/** While a search is typed, a list is loaded up to this length. */
const maxLoaded = 5_000

/** Finds the rows of a list that have all words of a text, and counts them. */
export const useTableSearch = <Row,>({
  rows,
  hasMore = false,
  isLoadingMore,
  error,
  onLoadMore,
  search,
  empty,
}: DataTableProps<Row>): { rows: DataTableProps<Row>['rows']; empty: ReactNode; line: ReactNode } => {
  const [text, setText] = useState('')
  const words = search ? text.trim().toLowerCase() : ''
  const list = search && Array.isArray(rows) ? (rows as readonly Row[]) : undefined
  const found = useMemo(() => {
    if (words === '' || !list || !search) return list
    const terms = words.split(/\s+/)
    return list.filter((row) => {
      const said = search.toText(row).toLowerCase()
      return terms.every((word) => said.includes(word))
    })
  }, [list, words, search])
  const loadsOn = words !== '' && hasMore && !isLoadingMore && !error && (list?.length ?? maxLoaded) < maxLoaded
  useEffect(() => {
    if (loadsOn) onLoadMore?.()
  }, [loadsOn, onLoadMore])
  if (!search || !list || !found) return { rows, empty, line: null }
  const [one, many] = search.what
  const amount = `${toAmount(list.length)}${hasMore ? '+' : ''} ${list.length === 1 && !hasMore ? one : many}`
  const isSearchable = list.length > fewRows || words !== ''
  const line = isSearchable && (
    <div className="table-search">
      <SearchInput label={search.label} value={text} onChange={setText} />
      <span className="muted small" role="status">
        {words === '' ? amount : `${toAmount(found.length)} of ${amount}`}
      </span>
    </div>
  )
  return {
    rows: words === '' ? rows : found,
    empty: words === '' ? empty : <Empty title={`No ${many} match “${text.trim()}”`}>Use other or fewer words.</Empty>,
    line,
  }
}
