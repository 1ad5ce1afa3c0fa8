import type { DiskWatch } from '../../storage/disk-watch.ts'

export type Values = (readonly [label: string, value: number])[]

/** A value that is read when the metrics are, by the values of one label. */
export type Gauge = { name: string; help: string; label: string; values(): Values | Promise<Values> }

export const diskGauge = (disk: Pick<DiskWatch, 'isFull'>): Gauge => ({
  name: 'noema_database_disk_full',
  help: 'Whether the disk of the database refused a write of this node for lack of space within the last minute: 1, else 0.',
  label: 'database',
  values: () => [['noema', disk.isFull() ? 1 : 0]],
})
