import type { BrainDetail } from '@noema/contracts/brains.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import type { Vectors } from '../vectors/vectors.ts'
import { selectIndexing } from './queries.ts'

// How far the index of a Brain is behind what was written. What it has not followed yet is found by its words all the same.

/** What the index of a Brain has still to do. */
export const readIndexing = async (
  { db, vectors }: { db: Db; vectors: Vectors | undefined },
  { brainId, handle }: BrainRow,
): Promise<BrainDetail['indexing']> => {
  const found = await selectIndexing(db, brainId)
  if (!found) throw noSuchBrain(handle)
  return { ...found, pendingPassages: vectors ? Math.max(0, found.pendingPassages) : 0 }
}
