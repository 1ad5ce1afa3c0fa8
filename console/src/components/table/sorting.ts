import { useMemo, useState } from 'react'
import type { Column } from './columns.ts'

/** The order of a table by one of its columns. */
export type Sorting = { key: string; isDescending: boolean }

/**
 * The order of a list that the service sorts. `keys` are the columns that it can sort the whole list by, for lists of which only
 * some pages are loaded.
 */
export type ServedSorting = {
  keys: readonly string[]
  sorting: Sorting | undefined
  onSort: (sorting: Sorting | undefined) => void
}

type Value = string | number | null | undefined

// Made when a person sorts: the first formatter of a page takes the browser 80 ms.
let collator: Intl.Collator | undefined
const compareTexts = (one: string, other: string): number => {
  collator ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
  return collator.compare(one, other)
}

/** Numbers by size, texts as people order them; what has no value comes last, in either direction. */
const compare = (one: Value, other: Value, isDescending: boolean): number => {
  const isEmpty = [one, other].map((value) => value === null || value === undefined || value === '')
  if (isEmpty[0] || isEmpty[1]) return Number(isEmpty[0]) - Number(isEmpty[1])
  const order =
    typeof one === 'number' && typeof other === 'number' ? one - other : compareTexts(String(one), String(other))
  return isDescending ? -order : order
}

type Sorted<Row> = {
  columns: readonly Column<Row>[]
  rows: readonly Row[] | { readonly length: number; at(index: number): Row | undefined } | undefined
  hasMore?: boolean | undefined
  served?: ServedSorting | undefined
}

/** The next order after a press on a column: ascending, descending, then as the list came. */
const toNext = (key: string, sorting: Sorting | undefined): Sorting | undefined => {
  if (sorting?.key !== key) return { key, isDescending: false }
  return sorting.isDescending ? undefined : { key, isDescending: true }
}

/**
 * Sorts the rows of a table by its columns. A list whose end is not loaded is sorted by the service, or not at all: sorting what
 * happens to be loaded would show a wrong first row.
 */
export const useSorting = <Row>({ columns, rows, hasMore, served }: Sorted<Row>) => {
  const [own, setOwn] = useState<Sorting>()
  const isWhole = !hasMore && Array.isArray(rows)
  const sorting = served ? served.sorting : isWhole ? own : undefined
  const column = columns.find(({ key }) => key === own?.key)
  const shown = useMemo(() => {
    const toValue = column?.sort
    if (served || !own || !toValue || !isWhole || !Array.isArray(rows)) return rows
    return (rows as readonly Row[]).toSorted((one, other) => compare(toValue(one), toValue(other), own.isDescending))
  }, [rows, column, own, served, isWhole])
  return {
    rows: shown,
    sorting,
    canSort: (key: string): boolean =>
      served ? served.keys.includes(key) : isWhole && columns.find((one) => one.key === key)?.sort !== undefined,
    sortBy: (key: string) => (served ? served.onSort : setOwn)(toNext(key, sorting)),
  }
}
