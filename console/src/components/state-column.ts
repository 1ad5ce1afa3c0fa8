import { toAmount } from '../plural.ts'
import type { Column } from './table/columns.ts'

/** The Brain state of a row. */
export const stateColumn: Column<{ stateVersion: number }> = {
  key: 'state',
  title: 'State',
  width: 90,
  align: 'end',
  isWide: true,
  sort: ({ stateVersion }) => stateVersion,
  cell: ({ stateVersion }) => toAmount(stateVersion),
}
