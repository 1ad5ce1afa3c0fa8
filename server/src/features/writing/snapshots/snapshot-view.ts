import type { NewEvent } from '@noema/contracts/events.ts'
import type { Snapshot } from '@noema/contracts/snapshots.ts'
import { toRetireLimit } from './plan.ts'
import type { SnapshotRow } from './queries.ts'

/** A snapshot as answers show it. */
export const toView = (row: SnapshotRow): Snapshot => {
  const { conflict: conflicts, ...counts } = row.counts
  const limit = toRetireLimit(row.served)
  return {
    snapshot: row.id,
    source: row.source,
    planRevision: row.planRevision,
    status: row.status,
    complete: row.complete,
    counts,
    conflicts,
    guard: { served: row.served, mostRetired: limit, needsAllowRetire: counts.retire > limit },
    createdAt: row.createdAt.toISOString(),
    plannedAt: row.plannedAt.toISOString(),
    appliedAt: row.appliedAt?.toISOString() ?? null,
  }
}

/** The event that tells of a plan. */
export const plannedEvent = ({ source, id, planRevision }: SnapshotRow): NewEvent => ({
  type: 'snapshot.planned',
  data: { source, snapshot: id, planRevision },
})
