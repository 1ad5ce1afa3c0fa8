import type { decideChange } from '@noema/contracts/changes.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Caps } from '../../../config/tiers.ts'
import { type Actor, mayBeSamePerson } from '../../../shared/actor.ts'
import { ApiError, conflict, forbidden, invalidArgument } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import { type JsonObject, mergePatch } from '../../../shared/text/json.ts'
import { listNames } from '../../../shared/text/list-names.ts'
import { rollBack } from '../../../shared/undo.ts'
import type { ResolvedOperation } from '../../kernel/versioning/types.ts'
import { addCorrection, applyChange, countStored } from '../commit/apply-or-stage.ts'
import { type ChangeItem, type StoredChange, undecided } from '../commit/change-store.ts'
import { type CommitBatch, isSchemaChange } from '../commit/commit-batch.ts'
import { applySchemaChange, type Duplicates, rebaseSchemaChange } from '../schema-changes/apply-schema-change.ts'
import { findCurrentIn, listConflicts } from './conflicts.ts'
import { findGateBlock, type Gate, passGate } from './gate.ts'
import type { ItemVersions } from './item-versions.ts'

// The states of a staged change (D-41): pending/not_applied -> rejected/not_applied, superseded/not_applied, or approved with one
// of approved/not_applied, approved/scheduled, approved/blocked -> approved/applied, approved/cancelled, or by a rebase
// pending/not_applied again: a person must look again at a change with another base.

/** The input of a decision: the batch, and data besides the content. */
export type Deciding = {
  batch: CommitBatch
  /** The versions that items were proposed on, where those are not current any more. */
  bases: ItemVersions
  /** The daily limit that what it publishes is held to, if it is. */
  caps: Caps
  /** Read where the decision publishes a change of the schema, and only there. */
  duplicates: Duplicates | undefined
  /** The result of the eval that the Brain requires; undefined where it requires none. */
  gate: Gate | undefined
}

/** The result of a decision: the change that was decided (of a split: the part that was decided), and changes that it staged. */
export type Decided = { change: StoredChange; staged: StoredChange[] }

const storeDecided = (batch: CommitBatch, change: StoredChange): void => {
  const { id, decision, application } = change
  batch.putChange(change)
  batch.emit({ type: 'change.decided', data: { change: id, decision, application } })
}

const checkPending = ({ decision }: StoredChange): void => {
  if (decision !== 'pending')
    throw conflict(`This change is ${decision} already; only a pending change can be decided.`, {
      code: 'already_decided',
    })
}

/** A rule of the Brain may want another person to review than who staged (D-42). */
const checkReviewer = (batch: CommitBatch, change: StoredChange, reviewer: Actor): void => {
  if (!batch.brain.reviewRules.requireOtherReviewer) return
  if (mayBeSamePerson(change.stagedBy, reviewer))
    throw forbidden('In this Brain, a change must be reviewed by somebody other than its writer.', {
      code: 'self_review',
    })
}

/** An operation without the version that its item must have: the item of the change says what it was proposed on. */
export const withoutConditions = (operation: ResolvedOperation): ResolvedOperation =>
  'ifMatch' in operation ? { ...operation, ifMatch: undefined } : operation

type Outcome = Pick<StoredChange, 'application' | 'stateVersion' | 'blockedBy' | 'publishAt' | 'items'>

const maxNamed = 20

export const movedBase = (items: readonly string[]): string => {
  const others = items.length - maxNamed
  const named = items.slice(0, maxNamed).join(', ')
  return `The base of items ${named}${others > 0 ? ` and ${others} more` : ''} has moved. Rebase the change.`
}

const blocked = (change: StoredChange, blockedBy: string): Outcome => ({
  application: 'blocked',
  stateVersion: null,
  blockedBy,
  publishAt: null,
  items: change.items,
})

/** Applies a change of content. Throws where it is refused. */
export const applyContent = (batch: CommitBatch, change: StoredChange) => {
  const operations = change.items.flatMap(({ operation }) => (operation ? [withoutConditions(operation)] : []))
  const write = { id: change.id, actor: change.stagedBy, operations, isBatch: operations.length > 1 }
  const { applied, events } = applyChange(batch, write)
  // A statement that was new when it was proposed may say what another says by now.
  const moved = change.items.filter(({ target }, index) => {
    const one = applied[index]
    return one?.result.changed && one.target.id !== target.id
  })
  if (moved.length > 0) throw conflict(movedBase(moved.map(({ item }) => item)))
  const items = change.items.map((item, index) => ({ ...item, made: applied[index]?.made ?? null }))
  return { items, events, bytes: countStored(operations, applied, false) }
}

/** Tries to apply an approved change; what stands in its way blocks it instead. */
const apply = ({ batch, bases, duplicates }: Deciding, change: StoredChange) => {
  if (batch.refusal) throw batch.refusal
  if (batch.brain.availability === 'held') return { outcome: blocked(change, 'held'), events: [], bytes: 0 }
  const conflicts = listConflicts(findCurrentIn(batch.content), change.items, bases)
  if (conflicts.length > 0) return { outcome: blocked(change, movedBase(conflicts)), events: [], bytes: 0 }
  const mark = batch.undo.length
  try {
    const { items, events, bytes } = duplicates
      ? { ...applySchemaChange(batch, change, duplicates), bytes: 0 }
      : applyContent(batch, change)
    const landed = events.length > 0 ? batch.stateVersion + 1 : null
    const outcome: Outcome = { application: 'applied', stateVersion: landed, blockedBy: null, publishAt: null, items }
    return { outcome, events, bytes }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    rollBack(batch.undo, mark)
    return { outcome: blocked(change, error.message), events: [], bytes: 0 }
  }
}

/** Publishes an approved change, or blocks it. `announces`: emits what was decided, which stands before what it applies. */
const publish = (deciding: Deciding, change: StoredChange, announces: boolean): StoredChange => {
  const { batch, caps } = deciding
  const { outcome, events, bytes } = apply(deciding, change)
  const decided: StoredChange = { ...change, ...outcome }
  // A publication that comes later than the decision emits itself alone, or that it was blocked.
  if (announces || decided.application === 'blocked') storeDecided(batch, decided)
  else batch.putChange(decided)
  if (decided.application !== 'applied') return decided
  const state = decided.stateVersion === null ? {} : { stateVersion: decided.stateVersion }
  if (decided.stateVersion !== null) batch.advance(events)
  batch.emit({ type: 'change.published', data: { change: change.id, ...state } })
  // The operations were counted when they were staged; the versions that they made are counted now.
  if (bytes > 0) batch.spend({ writes: 0, bytes }, caps)
  if (decided.corrects !== null) addCorrection(batch, decided)
  return decided
}

type Decision = BodyOutput<typeof decideChange>

/** The operation with other fields; undefined where it is not about a record's. */
const editedFields = (operation: ResolvedOperation, fields: JsonObject): ResolvedOperation | undefined => {
  if (operation.op === 'record.create' || operation.op === 'record.put')
    return { ...operation, fields: mergePatch(operation.fields ?? {}, fields) as JsonObject }
  // In a patch, null says that a field is removed, so the edit's fields stand as they are.
  if (operation.op === 'record.patch') return { ...operation, fields: { ...operation.fields, ...fields } }
  return undefined
}

const reportItems = (items: readonly ChangeItem[]): string => listNames(items.map(({ item }) => item))

const edited = (items: readonly ChangeItem[], edits: Decision['edits']): ChangeItem[] => {
  const unknown = Object.keys(edits ?? {}).find((name) => !items.some(({ item }) => item === name))
  if (unknown !== undefined)
    throw invalidArgument(['edits', unknown], `This is no item that is decided here; ${reportItems(items)}.`)
  return items.map((item) => {
    const edit = edits?.[item.item]
    const operation = edit && item.operation && editedFields(item.operation, edit.fields)
    if (edit && !operation)
      throw invalidArgument(['edits', item.item], `An item of ${item.op} has no fields to edit. Edit those of records.`)
    return operation ? { ...item, operation } : item
  })
}

const checkItems = (change: StoredChange, named: readonly string[]): void => {
  const known = new Set(change.items.map(({ item }) => item))
  const unknown = named.findIndex((name) => !known.has(name))
  if (unknown !== -1)
    throw invalidArgument(['items', unknown], `The change has no such item; ${reportItems(change.items)}.`)
}

/** Splits a change: it is superseded by the chosen items and the rest, each a new change (REV-04). */
const split = (batch: CommitBatch, change: StoredChange, chosen: readonly string[]) => {
  const superseded: StoredChange = { ...change, decision: 'superseded' }
  storeDecided(batch, superseded)
  const part = (isChosen: boolean): StoredChange => ({
    ...change,
    ...undecided,
    reason: change.reason,
    corrects: change.corrects,
    supersedes: change.id,
    id: newId('chg', batch.now),
    items: change.items.filter(({ item }) => chosen.includes(item) === isChosen),
    createdAt: batch.now.toISOString(),
  })
  const parts = [part(true), part(false)] as const
  for (const { id } of parts) batch.emit({ type: 'change.staged', data: { change: id, supersedes: change.id } })
  batch.putChange(parts[1])
  return parts
}

/** Decides a pending change. */
export const decide = (
  deciding: Deciding,
  found: StoredChange,
  { actor, given }: { actor: Actor; given: Decision },
): Decided => {
  const { batch } = deciding
  checkPending(found)
  checkReviewer(batch, found, actor)
  checkItems(found, given.items ?? [])
  const isPart = given.items !== undefined && new Set(given.items).size < found.items.length
  if (deciding.gate && given.decision === 'approved') {
    const isOther = isPart || given.edits !== undefined
    const { gate } = deciding
    passGate(batch, { gate, changeId: found.id, actor, isOther, reason: given.overrideEval?.reason })
  }
  const [chosen, rest] = isPart ? split(batch, found, given.items ?? []) : [found, undefined]
  const decided: StoredChange = {
    ...chosen,
    decision: given.decision,
    items: edited(chosen.items, given.edits),
    // An edited write is no longer equal to a repeat of the original.
    writeHash: given.edits ? null : (chosen.writeHash ?? null),
    decidedBy: actor,
    decidedAt: batch.now.toISOString(),
    decisionReason: given.reason ?? null,
  }
  const staged = rest ? [rest] : []
  if (given.decision === 'approved' && given.publish === true)
    return { change: publish(deciding, decided, true), staged }
  const publishAt = given.decision === 'approved' && typeof given.publish === 'string' ? given.publish : null
  if (publishAt !== null && publishAt <= batch.now.toISOString())
    throw invalidArgument(['publish'], 'This time is past. Send true to publish now.')
  const change: StoredChange = { ...decided, publishAt, application: publishAt === null ? 'not_applied' : 'scheduled' }
  storeDecided(batch, change)
  return { change, staged }
}

const checkUnapplied = (change: StoredChange, verb: string): void => {
  const isOpen = ['not_applied', 'scheduled', 'blocked'].includes(change.application)
  if (change.decision !== 'approved' || !isOpen)
    throw conflict(
      `This change is ${change.decision} and ${change.application}; only an approved change that is not applied can be ${verb}.`,
      {
        code: 'not_open',
      },
    )
}

/** Publishes an approved change that is not applied yet. */
export const publishApproved = (deciding: Deciding, approved: StoredChange): Decided => {
  const { batch, gate } = deciding
  checkUnapplied(approved, 'published')
  const reason = gate && findGateBlock(gate)
  if (reason === undefined) return { change: publish(deciding, approved, false), staged: [] }
  const change = { ...approved, ...blocked(approved, reason) }
  storeDecided(batch, change)
  return { change, staged: [] }
}

/** Cancels an approved change that is not applied. */
export const cancelApproved = ({ batch }: Deciding, open: StoredChange, reason: string | undefined): Decided => {
  checkUnapplied(open, 'cancelled')
  const change: StoredChange = {
    ...open,
    application: 'cancelled',
    publishAt: null,
    blockedBy: null,
    decisionReason: reason ?? open.decisionReason,
  }
  storeDecided(batch, change)
  return { change, staged: [] }
}

const rebaseContent = (batch: CommitBatch, { id, stagedBy, items }: StoredChange): ChangeItem[] => {
  const operations = items.flatMap(({ operation }) => (operation ? [withoutConditions(operation)] : []))
  const mark = batch.undo.length
  const { applied } = applyChange(batch, { id, actor: stagedBy, operations, isBatch: operations.length > 1 })
  rollBack(batch.undo, mark)
  return items.map((item, index) => {
    const { target, base } = applied[index] ?? { target: item.target, base: null }
    return { ...item, target, base }
  })
}

/** Puts a change on top of the Brain as it is now. Throws where it could not be applied there. */
export const rebase = ({ batch }: Deciding, open: StoredChange): Decided => {
  if (open.decision !== 'pending') checkUnapplied(open, 'rebased')
  const items = isSchemaChange(open) ? rebaseSchemaChange(batch, open.items) : rebaseContent(batch, open)
  const change: StoredChange = {
    ...open,
    ...undecided,
    ...kept(open),
    items,
    decision: 'pending',
    application: 'not_applied',
    baseState: batch.stateVersion,
  }
  if (open.decision === 'pending') batch.putChange(change)
  else storeDecided(batch, change)
  return { change, staged: [] }
}

const kept = ({ reason, corrects, supersedes, writeHash = null }: StoredChange) => ({
  ...{ reason, corrects, supersedes, writeHash },
})
