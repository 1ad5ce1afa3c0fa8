import { Icon } from '../icon.tsx'
import type { Sorting } from './sorting.ts'

type SortHeadProps = { title: string; isDescending: Sorting['isDescending'] | undefined; onSort: () => void }

/** The title of a column that sorts the table. `isDescending` is undefined if the table is sorted otherwise. */
export const SortHead = ({ title, isDescending, onSort }: SortHeadProps) => (
  <button type="button" className="sort-head" onClick={onSort}>
    {title}
    <span className="sort-mark" data-order={isDescending === undefined ? 'none' : isDescending ? 'desc' : 'asc'}>
      <Icon name="down" />
    </span>
  </button>
)

/** The order of a column, as screen readers hear it. */
export const toAriaSort = (isDescending: boolean | undefined): 'ascending' | 'descending' | undefined => {
  if (isDescending === undefined) return undefined
  return isDescending ? 'descending' : 'ascending'
}
