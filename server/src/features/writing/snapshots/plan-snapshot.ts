import type { DocumentArtifact } from '@noema/contracts/documents.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { type planSnapshot, snapshotLimits } from '@noema/contracts/snapshots.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Tx } from '../../../storage/database.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import { knownHash, sha256 } from '../../knowledge/documents/hash.ts'
import type { Submitter } from '../commit/apply-or-stage.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { DeferredWriteRequest } from '../commit/write-request.ts'
import { countOps, countWrites, type Item, planDifference, planItems } from './plan.ts'
import {
  deleteItems,
  dropTexts,
  lockSnapshot,
  type SnapshotRow,
  type StoredItem,
  selectItems,
  upsertItems,
  upsertPlans,
  upsertSnapshot,
} from './queries.ts'
import { plannedEvent, toView } from './snapshot-view.ts'
import { findWaitingChange, hashPlan } from './waiting-change.ts'

type SentBody = BodyOutput<typeof planSnapshot>

/** A request whose items have their texts, also those that were extracted from files. */
export type Body = Omit<SentBody, 'items'> & {
  items: readonly (Omit<SentBody['items'][number], 'text' | 'artifact' | 'artifactVersion'> & {
    text: string
    artifact?: DocumentArtifact | undefined
    [knownHash]?: string
  })[]
}

/** An item with its text, as a request brought it. */
type SentItem = Item & { text: string }

/** A request to plan. */
export type PlanRequest = { source: string; items: readonly SentItem[] } & Pick<Body, 'complete' | 'snapshot'>

type SentText = Body['items'][number]

const toItem = (source: string, { id, text, uri, externalId, [knownHash]: known, ...rest }: SentText): SentItem => ({
  id,
  text,
  hash: known ?? sha256(text),
  details: {
    ...rest,
    source: {
      name: source,
      ...(uri === undefined ? {} : { uri }),
      ...(externalId === undefined ? {} : { externalId }),
    },
  },
})

/** Reads a request outside the Brain's lock: hashing megabytes takes its time. */
export const toRequest = (source: string, { items, complete, snapshot }: Body): PlanRequest => {
  const seen = new Set<string>()
  for (const [index, { id }] of items.entries()) {
    const message = `The id ${JSON.stringify(id)} is in this request twice. Send each document once.`
    if (seen.has(id)) throw refuseAt(['items', index, 'id'], message)
    seen.add(id)
  }
  return { source, items: items.map((item) => toItem(source, item)), complete, snapshot }
}

/** The refusal of a snapshot that the source does not have. */
export const noSuchSnapshot = (source: string, id: string) =>
  notFound(
    `The source ${JSON.stringify(source)} has no snapshot ${JSON.stringify(id)}. Leave snapshot out to open a new one.`,
  )

const findOpen = async (tx: Tx, brainId: number, { source, items }: PlanRequest, id: string): Promise<SnapshotRow> => {
  const found = await lockSnapshot(tx, brainId, source, id)
  if (!found) throw noSuchSnapshot(source, id)
  if (found.status === 'applied' || found.status === 'unchanged')
    throw conflict('This snapshot is finished. Leave snapshot out to open a new one.', { code: 'snapshot_finished' })
  if (found.complete && items.length > 0)
    throw conflict(
      'This snapshot is complete and accepts no more items. Open a new one, or send no items to plan this one again.',
      {
        code: 'snapshot_complete',
      },
    )
  return found
}

const checkSize = (items: readonly SentItem[], kept: readonly StoredItem[]): void => {
  const count = items.length + kept.filter(({ hash }) => hash !== null).length
  const length = [...items.map(({ text }) => text.length), ...kept.map((item) => item.length)].reduce(
    (a, b) => a + b,
    0,
  )
  if (count > snapshotLimits.items || length > snapshotLimits.textLength)
    throw refuseAt(
      ['items'],
      `A snapshot has at most ${snapshotLimits.items} items and ${snapshotLimits.textLength} characters. Split the source into several.`,
      { code: 'snapshot_too_large' },
    )
}

/** The stored items that have a document behind them, as plans need them. */
export const plannable = (stored: readonly StoredItem[]): Item[] =>
  stored.flatMap(({ id, hash, details }) => (hash !== null && details !== null ? [{ id, hash, details }] : []))

/** Plans what was sent, and with a complete snapshot all that was sent before: what was served may have moved since. */
const planAll = async (tx: Tx, brainId: number, request: PlanRequest, found: SnapshotRow | undefined) => {
  const { source, items } = request
  const sent = new Set(items.map(({ id }) => id))
  const stored = found ? await selectItems(tx, brainId, found.id) : []
  const kept = stored.filter(({ id }) => !sent.has(id))
  checkSize(items, kept)
  const complete = request.complete || found?.complete === true
  const planning = complete ? [...items, ...plannable(kept)] : items
  const plan = await planItems(tx, brainId, source, { items: planning, all: complete })
  const others = plan.items.filter(({ id }) => !sent.has(id))
  const difference = planDifference(complete ? kept : [], others)
  const counts = countOps(complete ? plan.items : [...plan.items, ...kept])
  const planHash = complete ? hashPlan(plan.items, planning) : undefined
  return { plan, difference, counts, complete, sent, planHash }
}

type Planned = Awaited<ReturnType<typeof planAll>>

const toRow = (request: PlanRequest, found: SnapshotRow | undefined, planned: Planned, now: Date): SnapshotRow => {
  const { counts, complete, plan } = planned
  const isUnchanged = countWrites(counts) + counts.conflict === 0
  return {
    id: found?.id ?? newId('snp', now),
    source: request.source,
    status: complete ? (isUnchanged ? 'unchanged' : 'planned') : 'open',
    complete,
    planRevision: (found?.planRevision ?? 0) + 1,
    counts,
    served: plan.served,
    createdAt: found?.createdAt ?? now,
    plannedAt: now,
    appliedAt: null,
    planHash: null,
    reviewChange: null,
    answerCode: null,
    answer: null,
  }
}

const writePlan = (batch: CommitBatch, row: SnapshotRow, items: readonly SentItem[], planned: Planned): void => {
  const { brainId } = batch.brain
  const { plan, difference, sent } = planned
  const keepsTexts = row.status !== 'unchanged'
  const byId = new Map(plan.items.map((item) => [item.id, item]))
  const rows = items.flatMap(({ id, hash, text, details }) => {
    const item = byId.get(id)
    const content = keepsTexts ? { details, text } : { details: null, text: null }
    return item ? [{ ...item, hash, length: text.length, ...content }] : []
  })
  batch.write(upsertSnapshot(brainId, row))
  if (rows.length > 0) batch.write(upsertItems(brainId, row.id, rows))
  if (difference.differing.length > 0) batch.write(upsertPlans(brainId, row.id, difference.differing))
  if (difference.dropped.length > 0) batch.write(deleteItems(brainId, row.id, difference.dropped))
  const touched = [...sent, ...difference.differing.map(({ id }) => id), ...difference.dropped]
  if (!keepsTexts) batch.write(dropTexts(brainId, row.id, touched))
}

/** The write request that plans. */
export const planSubmission = (
  submitter: Submitter,
  request: PlanRequest,
  claim: DeferredWriteRequest['claim'],
): DeferredWriteRequest => ({
  claim,
  caps: submitter.caps,
  prepare: async (tx, brain, { now }) => {
    if (brain.availability === 'held') throw heldBrain()
    const found =
      request.snapshot === undefined ? undefined : await findOpen(tx, brain.brainId, request, request.snapshot)
    const planned = await planAll(tx, brain.brainId, request, found)
    const row = toRow(request, found, planned, now)
    const { planHash } = planned
    const plan = planned.plan.items
    const waiting =
      planHash === undefined ? undefined : await findWaitingChange(tx, brain, request.source, { plan, planHash })
    return {
      operations: [],
      run: (batch) => {
        batch.spend({ writes: request.items.length, bytes: 0 }, submitter.caps)
        writePlan(batch, row, request.items, planned)
        // A part announces itself where it plans a write; a plan in which nothing differs is no news, nor is one that
        // waits for review already (decision 11).
        if (countWrites(countOps(planned.plan.items)) > 0 && !waiting) batch.emit(plannedEvent(row))
        const data = { snapshot: toView(row), stateVersion: batch.stateVersion }
        return { outcome: found ? 'done' : 'created', data: JSON.stringify(data) }
      },
    }
  },
})
