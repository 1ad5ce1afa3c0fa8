import type { Column } from './data-table.tsx'

/** At which state of its Brain a row stands. */
export const stateColumn: Column<{ stateVersion: number }> = {
  key: 'state',
  title: 'State',
  width: 90,
  align: 'end',
  isWide: true,
  cell: ({ stateVersion }) => stateVersion.toLocaleString('en'),
}
