import type { Snapshot } from '@noema/contracts/snapshots.ts'
import { conflict, MovesToWorker } from '../../../shared/errors.ts'
import type { Tx } from '../../../storage/database.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import { maxMovableBytes } from '../../kernel/versioning/load-budget.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { type StoredAnswer, toOutcome, toOutcomeCode } from '../../platform/idempotency/idempotency.ts'
import { applyOrStage, type Submitter } from '../commit/apply-or-stage.ts'
import { type StoredChange, toRef } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { DeferredWriteRequest } from '../commit/write-request.ts'
import { countOps, countWrites, type Plan, planDifference, planItems, toRetireLimit } from './plan.ts'
import { noSuchSnapshot, plannable } from './plan-snapshot.ts'
import {
  deleteItems,
  dropTexts,
  lockSnapshot,
  type SnapshotRow,
  selectItems,
  selectWrites,
  upsertPlans,
  upsertSnapshot,
} from './queries.ts'
import { plannedEvent, toView } from './snapshot-view.ts'
import { findWaitingChange, hashPlan } from './waiting-change.ts'

/** Which plan is to be applied. */
export type ApplyRequest = {
  source: string
  snapshot: string
  planRevision: number
  allowRetire: boolean | undefined
}

type Prepared = Awaited<ReturnType<DeferredWriteRequest['prepare']>>

/** The refusal of a plan that is not the one that holds now, with the one that does. */
export const stalePlan = ({ planRevision, status, counts, guard }: Snapshot) => {
  const { add, update, retire, unchanged } = counts
  const message =
    status === 'applied'
      ? `Revision ${planRevision} of this snapshot was applied; no other revision can be applied.`
      : `Revision ${planRevision} of the plan is the current one: ${add} to add, ${update} to update, ${retire} to retire, ${unchanged} unchanged. Review it and apply that revision.`
  const details = [{ path: ['planRevision'], message, planRevision, counts, guard }]
  return conflict(message, { code: 'stale_plan', details })
}

const maxReported = 20

/** Which source another document is of, to who may know. */
const describeSource = (otherSource: string | null, mayRead: boolean): string => {
  if (!mayRead) return 'of another source'
  return otherSource === null ? 'of no source' : `of the source ${JSON.stringify(otherSource)}`
}

const checkConflicts = (items: Plan['items'], { mayRead }: Submitter): void => {
  const conflicts = items.filter(({ op }) => op === 'conflict')
  if (conflicts.length === 0) return
  const details = conflicts.slice(0, maxReported).map(({ id, otherSource }) => ({
    path: ['snapshot.items'],
    message: `${JSON.stringify(id)} is a document ${describeSource(otherSource, mayRead)}.`,
    id,
    ...(mayRead ? { otherSource } : {}),
  }))
  throw conflict(
    `${conflicts.length} of the ids belong to documents of other sources. Give the items other ids, or retire those documents.`,
    { code: 'source_conflict', details },
  )
}

const checkGuard = (retire: number, served: number, allowRetire: boolean | undefined): void => {
  if (retire > toRetireLimit(served) && !allowRetire)
    throw conflict(
      `This would retire ${retire} of the ${served} documents of this source. Send allowRetire if that is intended.`,
      { code: 'retire_guard' },
    )
}

const readOperations = async (tx: Tx, brainId: number, snapshot: string): Promise<ResolvedOperation[]> =>
  (await selectWrites(tx, brainId, snapshot)).map(({ id, op, details, text }) => {
    if (op === 'retire') return { op: 'document.retire', id }
    if (text === null) throw new Error(`The snapshot ${snapshot} has lost the text of an item.`)
    return { op: 'document.put', ...details, id, text }
  })

/** Leaves long texts to the worker for large requests. */
const checkMovable = (items: readonly { length: number }[], mayMove: boolean): void => {
  if (mayMove && items.reduce((sum, { length }) => sum + length, 0) > maxMovableBytes) throw new MovesToWorker()
}

/** Keeps the plan that holds now in place of the one that does not, and refuses with it. */
const replanned = (row: SnapshotRow, plan: Plan, difference: ReturnType<typeof planDifference>): Prepared => ({
  operations: [],
  run: (batch) => {
    const { brainId } = batch.brain
    const { differing, dropped } = difference
    const counts = countOps(plan.items)
    const next = { ...row, counts, served: plan.served, planRevision: row.planRevision + 1, plannedAt: batch.now }
    batch.write(upsertSnapshot(brainId, next))
    if (differing.length > 0) batch.write(upsertPlans(brainId, row.id, differing))
    if (dropped.length > 0) batch.write(deleteItems(brainId, row.id, dropped))
    if (countWrites(counts) > 0) batch.emit(plannedEvent(next))
    return { outcome: 'refused', data: JSON.stringify(toView(next)) }
  },
})

const nothingToDo = (row: SnapshotRow): Prepared => ({
  operations: [],
  run: () => {
    const data = { outcome: 'landed', change: null, stateVersion: null, snapshot: toView(row) }
    return { outcome: 'done', data: JSON.stringify(data) }
  },
})

const applyNow = (
  batch: CommitBatch,
  row: SnapshotRow,
  operations: readonly ResolvedOperation[],
  submitter: Submitter,
) => {
  const { brainId } = batch.brain
  const written = applyOrStage(batch, { operations, isBatch: false, submitter, corrects: undefined, reason: undefined })
  const { outcome, change, stateVersion } = written
  const reviewChange = outcome === 'staged' ? change.id : null
  const applied: SnapshotRow = { ...row, status: 'applied', appliedAt: batch.now, reviewChange }
  const data = JSON.stringify({ outcome, change, stateVersion, snapshot: toView(applied) })
  const answer: StoredAnswer = { outcome: outcome === 'staged' ? 'staged' : 'done', data }
  const { source, id: snapshot, planRevision } = row
  const address = { source, snapshot, planRevision }
  batch.emit({ type: 'snapshot.applied', data: reviewChange === null ? address : { ...address, reviewChange } })
  batch.write(
    upsertSnapshot(brainId, { ...applied, answerCode: toOutcomeCode(answer.outcome), answer: answer.data }),
    dropTexts(brainId, row.id, []),
  )
  return answer
}

/** The answer while the same writes wait for review. The snapshot stays planned and is forgotten like any other. */
const answerWaiting = (row: SnapshotRow, change: StoredChange): Prepared => ({
  operations: [],
  run: () => {
    const data = { outcome: 'staged', change: toRef(change), stateVersion: null, snapshot: toView(row) }
    return { outcome: 'staged', data: JSON.stringify(data) }
  },
})

/** The write request that applies a plan. */
export const applySubmission = (
  submitter: Submitter,
  request: ApplyRequest,
  claim: DeferredWriteRequest['claim'],
): DeferredWriteRequest => ({
  claim,
  caps: submitter.caps,
  prepare: async (tx, brain, { mayMove }) => {
    const { brainId } = brain
    const { source, planRevision, allowRetire } = request
    const row = await lockSnapshot(tx, brainId, source, request.snapshot)
    if (!row) throw noSuchSnapshot(source, request.snapshot)
    if (row.planRevision !== planRevision) throw stalePlan(toView(row))
    const { answer: data, answerCode: code } = row
    if (data !== null && code !== null) return { operations: [], run: () => ({ outcome: toOutcome(code), data }) }
    if (row.status === 'unchanged') return nothingToDo(row)
    if (brain.availability === 'held') throw heldBrain()
    const stored = await selectItems(tx, brainId, row.id)
    const items = plannable(stored)
    const plan = await planItems(tx, brainId, source, { items, all: row.complete })
    const difference = planDifference(stored, plan.items)
    if (!difference.isNone) return replanned(row, plan, difference)
    const counts = countOps(plan.items)
    checkConflicts(plan.items, submitter)
    checkGuard(counts.retire, plan.served, allowRetire)
    if (countWrites(counts) === 0) return nothingToDo(row)
    const planHash = hashPlan(plan.items, items)
    const ready: SnapshotRow = { ...row, counts, served: plan.served, planHash }
    const waiting = await findWaitingChange(tx, brain, source, { plan: plan.items, planHash })
    if (waiting) return answerWaiting(ready, waiting)
    checkMovable(stored, mayMove)
    const operations = await readOperations(tx, brainId, row.id)
    return { operations, run: (batch) => applyNow(batch, ready, operations, submitter) }
  },
})
