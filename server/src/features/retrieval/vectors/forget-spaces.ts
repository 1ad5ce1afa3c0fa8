import type { Db } from '../../../storage/database.ts'
import { deleteProgress, deleteSpace, deleteVectors, selectBrainsBySpace, selectUnusedSpaces } from './queries.ts'

// Another model makes another space. The vectors of the former one are kept for a while, so that going back is free.

const keptDays = 7
const brainsAtOnce = 100
const vectorsAtOnce = 5_000

/** Drops the vectors of spaces that no node has used for days. Safe on any number of nodes and to repeat. */
export const forgetSpaces = async ({ db }: { db: Db }, now: Date): Promise<void> => {
  const before = new Date(now.getTime() - keptDays * 86_400_000)
  for (const space of await selectUnusedSpaces(db, before)) {
    for (let brains = await selectBrainsBySpace(db, space, brainsAtOnce); brains.length > 0; ) {
      for (const brainId of brains) {
        while ((await deleteVectors(db, brainId, space, vectorsAtOnce)) === vectorsAtOnce);
        await deleteProgress(db, brainId, space)
      }
      brains = await selectBrainsBySpace(db, space, brainsAtOnce)
    }
    await deleteSpace(db, space, before)
  }
}
