import { ApiError } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import { noSuchBrain } from '../brains/brains.ts'
import { correctKept, selectCounted, selectKept, selectUncounted, sumCounts } from './count-queries.ts'

// The number of items in a Brain. Each commit updates the numbers on the Brain's row, so that they are exact and cost one row to
// read. Imports, and nodes of an earlier version, write without counting: the number of events shows that, and then everything is
// counted again.

/** The current items of a Brain, and the changes that wait for a decision. */
export type BrainCounts = { records: number; statements: number; documents: number; pendingChanges: number }

type Counted = { counts: BrainCounts; lastWriteAt: string | null }

const toCounted = ({ lastWriteAt, ...numbers }: BrainCounts & { lastWriteAt: Date | null }): Counted => {
  const { records, statements, documents, pendingChanges } = numbers
  return { counts: { records, statements, documents, pendingChanges }, lastWriteAt: lastWriteAt?.toISOString() ?? null }
}

/** The numbers of a Brain, and the time of the last write to its content. */
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

/** The most Brains of one organization that are counted again for one answer. The numbers of others may be wrong. */
const maxRecounted = 50

/** The number of live Brains of an organization, and the sum of their items. */
export const readCountsOfOrganization = async ({ db }: { db: Db }, organizationId: string) => {
  for (const brain of await selectUncounted(db, organizationId, maxRecounted))
    await readCounts({ db }, brain).catch((error: unknown) => {
      // A Brain that was deleted meanwhile counts nothing.
      if (!(error instanceof ApiError)) throw error
    })
  return (await sumCounts(db, organizationId)) ?? { brains: 0, records: 0, statements: 0, documents: 0 }
}
