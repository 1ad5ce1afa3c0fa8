import type { ChangeRef } from '@noema/contracts/changes.ts'
import type { Provenance } from '@noema/contracts/common.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Caps } from '../../../config/tiers.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import { organizationTopic } from '../../../shared/concurrency/topics.ts'
import { newId } from '../../../shared/ids.ts'
import { rollBack } from '../../../shared/undo.ts'
import { runStatement } from '../../../storage/statements.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { heldBrain } from '../../kernel/brains/brains.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { countReminders } from '../../knowledge/dates/write-set.ts'
import { addToOutbox } from '../../platform/outbox/outbox.ts'
import { type ChangeItem, type StoredChange, toRef, undecided } from './change-store.ts'
import type { CommitBatch } from './commit-batch.ts'
import { type Applied, applyOperations, findMissing } from './write-set.ts'

/** The result of a write, from which the answer is made. `stateVersion` is null if it was staged. */
export type Written = {
  outcome: 'landed' | 'staged'
  change: ChangeRef
  stateVersion: number | null
  applied: readonly Applied[]
  /** The records that it refers to and that do not exist. */
  missing: readonly string[]
}

/** The caller of a write, whether it may read the Brain, and the limits of its organization. */
export type Submitter = { actor: Actor; mayRead: boolean; caps: Caps }

/** A write to content. */
export type ContentChange = {
  operations: readonly ResolvedOperation[]
  isBatch: boolean
  submitter: Submitter
  corrects: string | undefined
  reason: string | undefined
  /** True to wait for review in any mode of the Brain. */
  review?: boolean
  /** True to apply it in any mode of the Brain: its effect was reviewed before. */
  isReviewed?: boolean
  /** A hash of the request and its caller. */
  writeHash?: string | undefined
}

/** The answer to a write that changed nothing: the change that last wrote its items (D-05). */
const unchanged = (applied: readonly Applied[], missing: readonly string[]): Written => {
  const newest = applied.reduce((a, b) => (b.madeBy.stateVersion > a.madeBy.stateVersion ? b : a))
  const change = { id: newest.madeBy.change, decision: 'approved', application: 'applied' } as const
  return { outcome: 'landed', change, stateVersion: newest.madeBy.stateVersion, applied, missing }
}

/** The answer to a write that waits for review already: the pending change and its targets (D-05). */
const answerWaiting = (waiting: StoredChange, applied: readonly Applied[], missing: readonly string[]): Written => ({
  ...{ outcome: 'staged', change: toRef(waiting), stateVersion: null, missing },
  applied: applied.map((one, index) => {
    const target = waiting.items[index]?.target ?? one.target
    return { ...one, target, result: { ...one.result, id: target.id } }
  }),
})

/** The items of a change. Later operations on one target have the same base as the first. */
const toItems = (
  applied: readonly Applied[],
  operations: readonly ResolvedOperation[],
  keepsOperations: boolean,
): ChangeItem[] => {
  const bases = new Map<string, number | null>()
  return applied.map(({ target, base, made }, index) => {
    const name = `${target.type} ${target.id}`
    const first = bases.has(name) ? (bases.get(name) ?? null) : base
    bases.set(name, first)
    const operation = operations[index]
    const op = operation?.op ?? 'record.put'
    const item = { item: String(index + 1), op, target, base: first, made: keepsOperations ? null : made }
    return keepsOperations && operation ? { ...item, operation } : item
  })
}

/** True if operations wait for review: because of the Brain's mode, or a rule for some of them (BRN-04, D-22). */
export const mustWait = (
  { mode, reviewRules: { always = [] } }: Pick<BrainRow, 'mode' | 'reviewRules'>,
  operations: readonly Pick<ResolvedOperation, 'op'>[],
): boolean => mode === 'review' || (always.length > 0 && operations.some(({ op }) => always.includes(op)))

const mustStage = (
  { brain }: CommitBatch,
  { operations, review = false, isReviewed = false }: ContentChange,
): boolean => !isReviewed && (review || mustWait(brain, operations))

/** The provenance that all versions of a change share: the change, and its writer. */
export const toProvenance = (change: string, actor: Actor): Provenance => ({
  change,
  key: actor.id,
  ...(actor.type === 'key' ? {} : { actor: summarizeActor(actor) }),
})

/**
 * Applies operations as one change. If it returns no events, they changed nothing, and the Brain's state stays. `dates` is the
 * cost of its reminders. A change with too many reminders, or too large patches, is refused, also when it is approved after the
 * schema or its records have grown.
 */
export const applyChange = (
  batch: CommitBatch,
  change: { id: string; actor: Actor; operations: readonly ResolvedOperation[]; isBatch: boolean },
): { applied: Applied[]; events: NewEvent[]; dates: number } => {
  if (batch.refusal) throw batch.refusal
  const { record, schema } = batch.content
  const movesBefore = record.moves.length
  const done = applyOperations(batch.content, change, {
    change: change.id,
    provenance: toProvenance(change.id, change.actor),
    at: batch.now.toISOString(),
    stateVersion: batch.stateVersion + 1,
    twins: new Map(),
    patched: { bytes: 0, mayMove: batch.mayMove },
  })
  const moves = record.moves.slice(movesBefore)
  return { ...done, dates: schema.schema.emitsDates ? countReminders(schema, moves) : 0 }
}

/** Adds an applied change that corrects another to the outbox (D-44). Others cost nothing here. */
export const addCorrection = (batch: CommitBatch, { id: change, corrects, stateVersion }: StoredChange): void => {
  if (corrects === null || stateVersion === null) return
  const { brainId, handle, organizationId } = batch.brain
  const data = { brainId, brain: handle, change, corrects, stateVersion }
  const event = addToOutbox({
    organizationId,
    event: 'knowledge.corrected',
    at: batch.now,
    scope: { brain: handle },
    data,
  })
  // A statement of its own: the outbox may be on another server than the Brain.
  batch.beforeCommit(async (tx) => void (await runStatement(tx, event)))
  batch.publish(organizationTopic(organizationId))
}

/** The bytes of content of an operation. Text is counted without making it JSON, because it may be long. */
const countBytes = (operation: ResolvedOperation): number => {
  const { text = '', ...rest } = 'text' in operation ? operation : { ...operation, text: '' }
  return Buffer.byteLength(text) + Buffer.byteLength(JSON.stringify(rest))
}

/**
 * The bytes that a change stores: of the versions that it makes, or of its operations while it waits for review. A change without
 * effect stores nothing.
 */
export const countStored = (
  operations: readonly ResolvedOperation[],
  applied: readonly Applied[],
  stages: boolean,
): number =>
  operations.reduce((sum, operation, index) => {
    const { result, size } = applied[index] ?? {}
    if (!result?.changed) return sum
    return sum + (stages || size === undefined ? countBytes(operation) : size)
  }, 0)

/** Applies a write, or stages it where the Brain requires review: all content enters here (BRN-04). */
export const applyOrStage = (batch: CommitBatch, write: ContentChange): Written => {
  const { brain, now } = batch
  const { operations, isBatch, submitter, corrects = null, reason = null, writeHash } = write
  if (brain.availability === 'held') throw heldBrain()
  if (corrects !== null) batch.change(corrects)
  const id = newId('chg', now)
  const mark = batch.undo.length
  const { applied, events, dates } = applyChange(batch, { id, actor: submitter.actor, operations, isBatch })
  const missing = batch.content.hasReferences ? findMissing(batch.content, operations) : []
  if (events.length === 0) return unchanged(applied, missing)
  const stages = mustStage(batch, write)
  // The write was applied to check it and to find its effects; a staged one is rolled back.
  if (stages) rollBack(batch.undo, mark)
  const waiting = stages && writeHash !== undefined ? batch.findWaiting(writeHash) : undefined
  if (waiting) return answerWaiting(waiting, applied, missing)
  const written = applied.filter(({ result }) => result.changed).length
  const bytes = submitter.caps ? countStored(operations, applied, stages) : 0
  const items = toItems(applied, operations, stages)
  const ref: ChangeRef = stages
    ? { id, decision: 'pending', application: 'not_applied' }
    : { id, decision: 'approved', application: 'applied' }
  const stateVersion = stages ? null : batch.stateVersion + 1
  const change: StoredChange = {
    ...undecided,
    ...ref,
    stagedBy: submitter.actor,
    corrects,
    reason,
    baseState: batch.stateVersion,
    stateVersion,
    items,
    writeHash: stages ? (writeHash ?? null) : null,
    createdAt: now.toISOString(),
  }
  batch.putChange(change)
  if (stages) batch.emit({ type: 'change.staged', data: { change: id } })
  else batch.advance(events)
  batch.spend({ writes: written + dates, bytes }, submitter.caps)
  if (corrects !== null) addCorrection(batch, change)
  return { outcome: stages ? 'staged' : 'landed', change: ref, stateVersion, applied, missing }
}
