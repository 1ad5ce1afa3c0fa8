import type { JsonObject } from '../../../shared/text/json.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import { kindByOperation } from '../../knowledge/content/content.ts'
import { loadHolders } from '../../knowledge/schema/write-set.ts'
import type { IdempotencyClaim, StoredAnswer } from '../../platform/idempotency/idempotency.ts'
import { selectChanges } from '../commit/change-store.ts'
import type { CommitBatch } from '../commit/commit-batch.ts'
import type { WriteRequest } from '../commit/write-request.ts'
import { isSchemaChange } from '../schema-changes/apply-schema-change.ts'
import { countDuplicates } from '../schema-changes/count-violations.ts'
import { summarize } from './change-view.ts'
import type { Decided, Deciding } from './decisions.ts'
import { readItemVersions } from './item-versions.ts'

// A decision on a change as a write request: it takes its turn with the writes of its Brain, and is made by what it finds
// under the Brain's lock.

/** What became of a change, as it is answered. */
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
  /** Whether it may publish the change, which of the schema takes a batch of its own. */
  publishes: boolean
  /** Contents that may be put in place of those of the change. */
  edits: readonly { fields: JsonObject }[] | undefined
  run: (deciding: Deciding) => StoredAnswer
}

/** Reads what a decision is made by, under the Brain's lock. */
const loadGrounds = async (
  db: Queryable,
  batch: CommitBatch,
  changeId: string,
  { edits, publishes, isAlone }: Pick<Act, 'edits' | 'publishes'> & { isAlone: boolean },
): Promise<Deciding> => {
  const { content, brain } = batch
  const change = batch.findChange(changeId)
  // Of all that is published: one that fits now may be outdated by what shares its batch.
  const patched = (publishes ? (change?.items ?? []) : []).filter(
    ({ operation }) =>
      operation !== undefined && kindByOperation.get(operation.op)?.operations[operation.op] === 'patches',
  )
  if (edits) await loadHolders(db, brain.brainId, content.schema, edits)
  const bases = await readItemVersions(db, brain.brainId, patched)
  const duplicates = isAlone && change ? await countDuplicates(db, brain.brainId, [change]) : undefined
  return { batch, bases, duplicates }
}

/** A decision on a change, as it takes its turn. */
export const toRequest = async (
  { db }: { db: Db },
  brainId: number,
  id: string,
  { claim, publishes, edits, run }: Act,
): Promise<WriteRequest> => {
  const isAlone = publishes && (await selectChanges(db, brainId, [id])).some(isSchemaChange)
  return {
    ...{ operations: [], changeIds: [id], claim, caps: undefined, isAlone },
    load: async (tx, batch) => {
      const deciding = await loadGrounds(tx, batch, id, { edits, publishes, isAlone })
      return () => run(deciding)
    },
  }
}
