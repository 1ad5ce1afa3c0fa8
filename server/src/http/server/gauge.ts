import type { DiskWatch } from '../../storage/disk-watch.ts'
import type { Forwarding } from '../forwarding/forwarding.ts'

export type Values = (readonly [label: string, value: number])[]

/** A value that is read when the metrics are, by the values of one label. */
export type Gauge = { name: string; help: string; label: string; values(): Values | Promise<Values> }

export const diskGauge = (disk: Pick<DiskWatch, 'isFull'>): Gauge => ({
  name: 'noema_database_disk_full',
  help: 'Whether the disk of the database refused a write of this node for lack of space within the last minute: 1, else 0.',
  label: 'database',
  values: () => [['noema', disk.isFull() ? 1 : 0]],
})

export const otherNodesGauge = (forwarding: Pick<Forwarding, 'countReached'> | undefined): Gauge => ({
  name: 'noema_other_nodes',
  help: 'Other nodes to which this one sends writes (reached), and to which it sends none because they are not connected, hang or leave (unreached); absent without NOEMA_NODE_ADDRESS.',
  label: 'state',
  values: () => Object.entries(forwarding?.countReached() ?? {}),
})
