import type { PlanOp } from '@noema/contracts/snapshots.ts'
import { newId } from '../../../shared/ids.ts'
import type { Tx } from '../../../storage/database.ts'
import type { Statement } from '../../../storage/statements.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import { maxLoadedBytes } from '../../kernel/versioning/load-budget.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { type DocumentVersion, documentTable } from '../../knowledge/documents/document-queries.ts'
import { knownHash, sha256InSteps } from '../../knowledge/documents/hash.ts'
import { toOutcomeCode } from '../../platform/idempotency/idempotency.ts'
import { applyOrStage, type Submitter } from '../commit/apply-or-stage.ts'
import { type StoredChange, toRef } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { LockedBrain } from '../commit/commit-queries.ts'
import type { DeferredWriteRequest } from '../commit/write-request.ts'
import { countOps, countWrites, type Item, type PlannedItem } from './plan.ts'
import { type SnapshotRow, upsertPlans, upsertSnapshot } from './queries.ts'
import { toView } from './snapshot-view.ts'
import { findWaitingChange, hashPlan } from './waiting-change.ts'

// The service itself updates a source whose documents it watches, such as pages of the web. It knows which of them differ, so the
// plan needs no other item of the source, and is applied in the transaction in which it is made.

/** A document as its source has it now, and the origin that its version names. */
export type UpdatedItem = Item & { text: string; origin: string }

/** The hash by which the text of an item is compared. */
export const hashItemText = (text: string): Promise<string> => sha256InSteps(text)

/** The documents of a source that are to be written, and those that are to be retired. */
export type SourceUpdate = {
  items: readonly UpdatedItem[]
  retired: readonly string[]
  /** The statements that are committed together with the change; its id is null if nothing differed. */
  settle(made: { change: string | null; ops: ReadonlyMap<string, PlanOp> }): readonly Statement[]
}

/** Another text or title makes a version; the time at which it was fetched does not. */
const isSame = ({ content }: DocumentVersion, { hash, details }: Item): boolean =>
  content.hash === hash && content.title === (details.title ?? null)

const planOne = (source: string, item: UpdatedItem, newest: DocumentVersion | undefined): PlannedItem => {
  const { id, details } = item
  const served = newest?.toState === null ? newest : undefined
  const base = { id, title: details.title ?? null, baseVersion: served?.version ?? null, otherSource: null }
  if (!served) return { ...base, op: 'add' }
  const otherSource = served.content.source?.name ?? null
  if (otherSource !== source) return { ...base, op: 'conflict', otherSource }
  return { ...base, op: isSame(served, item) ? 'unchanged' : 'update' }
}

const planRetirement = (source: string, id: string, newest: DocumentVersion | undefined): PlannedItem[] => {
  if (newest?.toState !== null || newest.content.source?.name !== source) return []
  const { title } = newest.content
  return [{ id, op: 'retire', title, baseVersion: newest.version, otherSource: null }]
}

const planUpdate = async (
  tx: Tx,
  brainId: number,
  { source, update }: { source: string; update: SourceUpdate },
): Promise<PlannedItem[]> => {
  const ids = [...update.items.map(({ id }) => id), ...update.retired]
  const newest = await documentTable.selectNewest(tx, brainId, ids, { left: maxLoadedBytes })
  const byId = new Map(newest.map((version) => [version.id, version]))
  return [
    ...update.items.map((item) => planOne(source, item, byId.get(item.id))),
    ...update.retired.flatMap((id) => planRetirement(source, id, byId.get(id))),
  ]
}

const toOperations = (plan: readonly PlannedItem[], { items }: SourceUpdate): ResolvedOperation[] => {
  const byId = new Map(items.map((item) => [item.id, item]))
  return plan.flatMap(({ id, op }): ResolvedOperation[] => {
    if (op === 'retire') return [{ op: 'document.retire', id }]
    const item = op === 'add' || op === 'update' ? byId.get(id) : undefined
    if (!item) return []
    const { details, text, hash, origin } = item
    const hashed = { text, [knownHash]: hash }
    return [{ op: 'document.put', ...details, id, ...hashed, provenance: { source: origin } }]
  })
}

type Planned = {
  source: string
  update: SourceUpdate
  plan: readonly PlannedItem[]
  planHash: string
  waiting: StoredChange | undefined
}

const toRow = ({ source, plan, planHash }: Planned, now: Date): SnapshotRow => ({
  ...{ id: newId('snp', now), source, status: 'applied', complete: false, planRevision: 1 },
  ...{ counts: countOps(plan), served: plan.length, createdAt: now, plannedAt: now, appliedAt: now, planHash },
  ...{ reviewChange: null, answerCode: null, answer: null },
})

/** Writes the documents as one change, with the snapshot that shows what it did. */
const writePlan = (batch: CommitBatch, planned: Planned, submitter: Submitter): { outcome: string; change: string } => {
  const { brainId } = batch.brain
  const operations = toOperations(planned.plan, planned.update)
  const written = applyOrStage(batch, { operations, isBatch: false, submitter, corrects: undefined, reason: undefined })
  const { outcome, change, stateVersion } = written
  const row = { ...toRow(planned, batch.now), reviewChange: outcome === 'staged' ? change.id : null }
  const data = JSON.stringify({ outcome, change, stateVersion, snapshot: toView(row) })
  const answerCode = toOutcomeCode(outcome === 'staged' ? 'staged' : 'done')
  const address = { source: row.source, snapshot: row.id, planRevision: row.planRevision }
  batch.emit({
    type: 'snapshot.applied',
    data: row.reviewChange === null ? address : { ...address, reviewChange: row.reviewChange },
  })
  batch.write(upsertSnapshot(brainId, { ...row, answerCode, answer: data }), upsertPlans(brainId, row.id, planned.plan))
  return { outcome, change: change.id }
}

const apply = (batch: CommitBatch, planned: Planned, submitter: Submitter): string | null => {
  if (countWrites(countOps(planned.plan)) === 0) return null
  return planned.waiting ? toRef(planned.waiting).id : writePlan(batch, planned, submitter).change
}

/**
 * The write request that updates a source: `read` finds what differs, under the Brain's lock. It makes one change with its snapshot,
 * and none if nothing differs or the same change waits for review.
 */
export const updateSubmission = (
  submitter: Submitter,
  source: string,
  read: (tx: Tx, brain: LockedBrain) => Promise<SourceUpdate>,
): DeferredWriteRequest => ({
  ...{ claim: undefined, caps: submitter.caps },
  prepare: async (tx, brain) => {
    if (brain.availability === 'held') throw heldBrain()
    const update = await read(tx, brain)
    const plan = await planUpdate(tx, brain.brainId, { source, update })
    const planHash = hashPlan(plan, update.items)
    const waiting = await findWaitingChange(tx, brain, source, { plan, planHash })
    const planned = { source, update, plan, planHash, waiting }
    return {
      operations: toOperations(plan, update),
      run: (batch) => {
        const change = apply(batch, planned, submitter)
        batch.write(...update.settle({ change, ops: new Map(plan.map(({ id, op }) => [id, op])) }))
        return { outcome: 'done', data: JSON.stringify({ change }) }
      },
    }
  },
})
