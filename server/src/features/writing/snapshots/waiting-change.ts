import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
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

/** The change that waits for review and holds exactly these writes of the source, if any. */
export const findWaitingChange = async (
  tx: Tx,
  { brainId, mode }: BrainRow,
  source: string,
  planHash: string,
): Promise<StoredChange | undefined> => {
  if (mode !== 'review') return undefined
  const id = await selectStagedChange(tx, brainId, source, planHash)
  const [change] = id === undefined ? [] : await selectChanges(tx, brainId, [id])
  return change && waits(change) ? change : undefined
}
