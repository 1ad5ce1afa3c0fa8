import type { ChangeRef } from '@noema/contracts/changes.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Caps } from '../../../config.ts'
import type { Actor } from '../../../shared/actor.ts'
import { newId } from '../../../shared/ids.ts'
import { heldBrain } from '../../brain/brains/brains.ts'
import { announce } from '../../platform/outbox/outbox.ts'
import { type Applied, applyOperations } from './draft.ts'
import type { Group } from './group.ts'
import type { SettledOperation } from './operations.ts'
import { type ChangeItem, refOf, type StoredChange, undecided } from './stored-change.ts'

/** What a write tells its caller, from which the answer is made. `stateVersion` is null where it staged. */
export type Written = {
  outcome: 'landed' | 'staged'
  change: ChangeRef
  stateVersion: number | null
  applied: readonly Applied[]
}

/** A write as it waits at the door. */
export type PendingWrite = {
  operations: readonly SettledOperation[]
  isBatch: boolean
  submitter: { actor: Actor; caps: Caps }
  corrects: string | undefined
  reason: string | undefined
}

/** The answer to a change that changed nothing: the change that made things as they are (D-05). */
const unchanged = (applied: readonly Applied[]): Written => {
  const newest = applied.reduce((a, b) => (b.madeBy.stateVersion > a.madeBy.stateVersion ? b : a))
  const change = { id: newest.madeBy.change, decision: 'approved', application: 'applied' } as const
  return { outcome: 'landed', change, stateVersion: newest.madeBy.stateVersion, applied }
}

/** The items of a change. Later operations on one target rest on the same base as the first. */
const itemsOf = (
  applied: readonly Applied[],
  operations: readonly SettledOperation[],
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

/** Whether a write waits for review: by the Brain's mode, or by a rule for operations of its sort (BRN-04, D-22). */
const mustStage = ({ brain }: Group, operations: readonly SettledOperation[]): boolean => {
  if (brain.mode === 'review') return true
  const always = brain.reviewRules.always ?? []
  return always.length > 0 && operations.some(({ op }) => always.includes(op))
}

/** Applies operations to the group's draft as one change. No events: they changed nothing, and no state was taken. */
export const applyChange = (
  group: Group,
  change: { id: string; actor: Actor; operations: readonly SettledOperation[]; isBatch: boolean },
): { applied: Applied[]; events: NewEvent[]; stateVersion: number } => {
  const stateVersion = group.stateVersion + 1
  const applying = { change: change.id, actor: change.actor, at: group.now.toISOString(), stateVersion }
  return { ...applyOperations(group.content, change, applying), stateVersion }
}

/** Announces a landed change that corrects another (D-44). Others cost nothing here. */
export const announceCorrection = (group: Group, { id: change, corrects, stateVersion }: StoredChange): void => {
  if (corrects === null || stateVersion === null) return
  const { brainId, handle, organizationId } = group.brain
  const data = { brainId, brain: handle, change, corrects, stateVersion }
  group.write(announce({ organizationId, event: 'knowledge.corrected', at: group.now, scope: { brain: handle }, data }))
}

/** Lands a write, or stages it where the Brain wants review: the one way by which content enters (BRN-04). */
export const landOrStage = (group: Group, write: PendingWrite): Written => {
  const { brain, now } = group
  const { operations, submitter } = write
  if (brain.availability === 'held') throw heldBrain()
  group.spend(operations.length, submitter.caps)
  if (write.corrects !== undefined) group.change(write.corrects)
  const id = newId('chg', now)
  const { applied, events, stateVersion } = applyChange(group, { ...write, id, actor: submitter.actor })
  if (events.length === 0) return unchanged(applied)
  const stages = mustStage(group, operations)
  const change: StoredChange = {
    ...undecided,
    id,
    decision: stages ? 'pending' : 'approved',
    application: stages ? 'not_applied' : 'applied',
    stagedBy: submitter.actor,
    corrects: write.corrects ?? null,
    reason: write.reason ?? null,
    baseState: group.stateVersion,
    stateVersion: stages ? null : stateVersion,
    items: itemsOf(applied, operations, stages),
    createdAt: now.toISOString(),
  }
  group.putChange(change)
  if (stages) {
    // What was tried is taken back: it showed that the write is sound and what it would change.
    group.content.undo.rollBack()
    group.emit({ type: 'change.staged', data: { change: id } })
    return { outcome: 'staged', change: refOf(change), stateVersion: null, applied }
  }
  group.advance()
  group.emit(...events)
  announceCorrection(group, change)
  return { outcome: 'landed', change: refOf(change), stateVersion, applied }
}
