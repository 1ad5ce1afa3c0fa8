import type { Caps } from '../../../config/tiers.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import type { Queryable } from '../../../storage/database.ts'
import { kindByOperation } from '../../knowledge/content/content.ts'
import { loadHolders } from '../../knowledge/schema/write-set.ts'
import type { IdempotencyClaim, StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import type { ChangeItem } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import { isSchemaChange } from '../commit/commit-batch.ts'
import { NeedsOwnBatch } from '../commit/execute-batch.ts'
import type { Reading, WriteRequest } from '../commit/write-request.ts'
import { countDuplicates } from '../schema-changes/count-violations.ts'
import { summarize } from './change-view.ts'
import type { Decided, Deciding } from './decisions.ts'
import { type Gate, readGate } from './gate.ts'
import { type Found, ItemVersions, readItemVersions } from './item-versions.ts'

// A decision on a change as a write request: it takes its turn with the writes of its Brain, and is made by what it finds
// under the Brain's lock.

/** The outcome of a change, as an answer. */
export const toAnswer = ({ change, staged }: Decided): StoredAnswer => ({
  outcome: 'done',
  data: JSON.stringify({
    change: summarize(change),
    staged: staged.map(summarize),
    stateVersion: change.stateVersion,
  }),
})

export type Act = {
  claim: IdempotencyClaim | undefined
  /** The daily limit that what it publishes is held to, if it is. */
  caps: Caps
  /** True if it may publish the change. */
  publishes: boolean
  /** True if it approves the change, which the eval that the Brain requires may refuse. */
  approves: boolean
  /** Contents that may be put in place of those of the change. */
  edits: readonly { fields: JsonObject }[] | undefined
  run: (deciding: Deciding) => StoredAnswer
}

/** The items that may still apply after others wrote to their targets. */
export const listPatched = (items: readonly ChangeItem[]): ChangeItem[] =>
  items.filter(
    ({ operation }) =>
      operation !== undefined && kindByOperation.get(operation.op)?.operations[operation.op] === 'patches',
  )

/** The versions that patches were proposed on, as far as they are the newest and were read with the content. */
const findNewest = ({ content }: CommitBatch, items: readonly ChangeItem[]): Found[] =>
  items.flatMap(({ target: { type, id }, base }) => {
    const newest = type === 'schema' ? undefined : content[type].newest(id)
    return type !== 'schema' && newest?.version === base ? { type, version: newest } : []
  })

/** Reads the versions that patches were proposed on; none, and a refusal, where they are too much. */
const readBases = async (
  db: Queryable,
  batch: CommitBatch,
  patched: readonly ChangeItem[],
  { budget, toRefusal }: Reading,
): Promise<ItemVersions> => {
  try {
    return await readItemVersions(db, batch.brain.brainId, patched, { known: findNewest(batch, patched), budget })
  } catch (error) {
    batch.refusal = toRefusal(error)
    return new ItemVersions([])
  }
}

/** Reads the other input of a decision. */
const loadGrounds = async (
  db: Queryable,
  batch: CommitBatch,
  changeId: string,
  { edits, publishes, approves, caps }: Pick<Act, 'edits' | 'publishes' | 'approves' | 'caps'>,
  reading: Reading,
): Promise<Deciding> => {
  const { content, brain } = batch
  const change = batch.findChange(changeId)
  const isOfSchema = publishes && change !== undefined && isSchemaChange(change)
  // All that a batch writes is judged by one schema.
  if (isOfSchema && !reading.isOnly) throw new NeedsOwnBatch()
  // Of all that is published: one that fits now may be outdated by a neighbor in its batch.
  const patched = listPatched(publishes && !batch.refusal ? (change?.items ?? []) : [])
  if (edits && edits.length > 0) await loadHolders(db, brain.brainId, content.schema, edits)
  const bases = await readBases(db, batch, patched, reading)
  const evalId = brain.reviewRules.requireEval
  let gate: Gate | undefined
  if (evalId !== undefined && (approves || publishes))
    gate = await readGate(db, { brainId: brain.brainId, evalId, changeId }, reading.isOnly)
  const duplicates = isOfSchema ? await countDuplicates(db, brain.brainId, [change]) : undefined
  return { batch, bases, duplicates, gate, caps }
}

/** A decision on a change as a write request. */
export const toRequest = (id: string, { claim, caps, publishes, approves, edits, run }: Act): WriteRequest => ({
  ...{ operations: [], changeIds: [id], claim, caps },
  load: async (tx, batch, reading) => {
    const deciding = await loadGrounds(tx, batch, id, { edits, publishes, approves, caps }, reading)
    return () => run(deciding)
  },
})
