import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { noSuchBrain } from '../brains/brains.ts'
import { correctKept, selectCounted, selectKept, selectUncounted, sumCounts } from './count-queries.ts'

// The number of items in a Brain. Each change adds its items to the numbers on the Brain's row, so that they are exact and
// cost one row to read. Writes without counting (by an import, or by a node of an earlier version) show in the number of
// events, and then everything is counted again.

/** The number of current items in a Brain, and of changes that wait for a decision. */
export type BrainCounts = { records: number; statements: number; documents: number; pendingChanges: number }

type Counted = { counts: BrainCounts; lastWriteAt: string | null }

const toCounted = ({ lastWriteAt, ...numbers }: BrainCounts & { lastWriteAt: Date | null }): Counted => {
  const { records, statements, documents, pendingChanges } = numbers
  return { counts: { records, statements, documents, pendingChanges }, lastWriteAt: lastWriteAt?.toISOString() ?? null }
}

/** The numbers of a Brain, and when its content was last written. */
export const readCounts = async (
  { db }: { db: Db },
  { brainId, handle }: { brainId: number; handle: string },
): Promise<Counted> => {
  const kept = await selectKept(db, brainId)
  if (kept?.holds) return toCounted(kept)
  const found = await selectCounted(db, brainId)
  if (!found) throw noSuchBrain(handle)
  await correctKept(db, brainId, found)
  return toCounted(found.counted)
}

/** Brains of one organization that are counted again for one answer. The numbers of others may be off. */
const maxCountedAnew = 50

/** Counts the live Brains of an organization, and their content together. */
export const readCountsOfOrganization = async ({ db }: { db: Db }, organizationId: string) => {
  for (const brain of await selectUncounted(db, organizationId, maxCountedAnew))
    await readCounts({ db }, brain).catch((error: unknown) => {
      // One that was deleted meanwhile counts nothing.
      if (!(error instanceof ApiError)) throw error
    })
  return (await sumCounts(db, organizationId)) ?? { brains: 0, records: 0, statements: 0, documents: 0 }
}
