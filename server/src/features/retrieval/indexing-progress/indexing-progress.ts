import type { BrainDetail } from '@noema/contracts/brains.ts'
import type { Db } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { noSuchBrain } from '../../kernel/brains/brains.ts'
import type { Vectors } from '../vectors/vectors.ts'
import { selectIndexing } from './queries.ts'

// The lag of a Brain's index. Search still finds content that is not indexed yet by its words.

/** The events and passages that a Brain's index still lacks. */
export const readIndexing = async (
  { db, vectors }: { db: Db; vectors: Vectors | undefined },
  { brainId, handle }: BrainRow,
): Promise<BrainDetail['indexing']> => {
  const found = await selectIndexing(db, brainId)
  if (!found) throw noSuchBrain(handle)
  const pendingPassages = vectors ? Math.max(0, found.pendingPassages) : 0
  const secondsLeft = pendingPassages === 0 ? 0 : (vectors?.pace.secondsFor(brainId, pendingPassages) ?? null)
  return { ...found, pendingPassages, secondsLeft }
}
