import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { mustWait } from '../commit/apply-or-stage.ts'
import { type StoredChange, selectChanges } from '../commit/change-store.ts'
import type { Item, PlannedItem } from './plan.ts'
import { selectStagedChange } from './queries.ts'

// A sync that repeats while its change waits for review finds the same differences again. Staging them again would fill
// the queue with copies, so the change that waits already is answered instead.

/** The writes of a plan and their bases, as a hash: two plans with equal ones would stage the same change. */
export const hashPlan = (plan: readonly PlannedItem[], items: readonly Item[]): string => {
  const contents = new Map(items.map(({ id, hash, details }) => [id, [hash, details]]))
  const writes = plan
    .filter(({ op }) => op === 'add' || op === 'update' || op === 'retire')
    .map(({ op, id, baseVersion }) => [id, op, baseVersion, contents.get(id) ?? null])
  const rows = writes.map((write) => canonicalJson(write)).sort()
  return createHash('sha256').update(rows.join('\n')).digest('hex')
}

const waits = ({ decision, application }: StoredChange): boolean =>
  (decision === 'pending' || decision === 'approved') && !['applied', 'cancelled'].includes(application)

const toOperation = ({ op }: PlannedItem) => ({ op: op === 'retire' ? 'document.retire' : 'document.put' }) as const

/** The change that waits for review and holds exactly the writes of a plan, if there is one and they would have to wait. */
export const findWaitingChange = async (
  tx: Tx,
  brain: BrainRow,
  source: string,
  { plan, planHash }: { plan: readonly PlannedItem[]; planHash: string },
): Promise<StoredChange | undefined> => {
  if (!mustWait(brain, plan.map(toOperation))) return undefined
  const id = await selectStagedChange(tx, brain.brainId, source, planHash)
  const [change] = id === undefined ? [] : await selectChanges(tx, brain.brainId, [id])
  return change && waits(change) ? change : undefined
}
