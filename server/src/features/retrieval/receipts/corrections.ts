import { fromUuid } from '../../../shared/ids.ts'
import type { Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import type { ContentType } from '../../kernel/versioning/types.ts'
import type { StoredChange } from '../../writing/commit/change-store.ts'
import { toItemKey } from './leave-receipt.ts'
import { selectConsumers } from './queries.ts'

/** A range of versions of an item, both ends included. */
export type CorrectedVersions = { type: ContentType; id: string; from: number; to: number }

/** A consumer that was served a corrected version, with its newest receipts. Readers without a name are one: null. */
export type Consumer = { consumerId: string | null; receipts: string[] }

/** The maximum of receipts that are listed of one consumer. */
const receiptsEach = 100

const newestVersion = 2 ** 31 - 1

/**
 * The versions that an applied change corrects: those of the change that it names, with all later versions, and the versions that it
 * replaced.
 */
export const findCorrected = (
  correcting: Pick<StoredChange, 'items'>,
  corrected: Pick<StoredChange, 'items'>,
): CorrectedVersions[] => {
  const ranges = new Map<string, CorrectedVersions>()
  const add = ({ type, id }: StoredChange['items'][number]['target'], from: number, to: number) => {
    if (type === 'schema') return
    const range = ranges.get(`${type} ${id}`)
    ranges.set(`${type} ${id}`, {
      type,
      id,
      from: Math.min(from, range?.from ?? from),
      to: Math.min(to, range?.to ?? to),
    })
  }
  for (const { target, made } of corrected.items) if (made !== null) add(target, made, newestVersion)
  for (const { target, base, made } of correcting.items) {
    // A change does not correct its own versions.
    if (base !== null) add(target, base, base)
    else if (made !== null) add(target, made, made - 1)
  }
  return [...ranges.values()].filter(({ from, to }) => from <= to)
}

/** The consumers that were served one of these versions (D-44). */
export const findConsumers = async (
  db: Queryable,
  brain: Pick<BrainRow, 'brainId'>,
  corrected: readonly CorrectedVersions[],
): Promise<Consumer[]> => {
  if (corrected.length === 0) return []
  const ranges = corrected.map(({ from, to, ...item }) => ({ item: toItemKey(item), from, to }))
  const rows = await selectConsumers(db, brain.brainId, ranges, receiptsEach)
  return rows.map(({ consumerId, receipts }) => ({ consumerId, receipts: receipts.map((id) => fromUuid('rcp', id)) }))
}
