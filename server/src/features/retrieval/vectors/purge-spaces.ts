import type { Db } from '../../../storage/database.ts'
import { deleteProgress, deleteSpace, deleteVectors, selectLeftBrains, selectUnusedSpaces } from './space-queries.ts'

// Another model makes another space. Once a Brain answers by it, its vectors in the former space are deleted, as soon as no node
// works in that space any more: until then such a node still answers by them.

/** A node that works in a space records it once a minute. */
export const unusedMilliseconds = 300_000
/** Searches that began before a Brain answered by another space have ended by then. */
const endedMilliseconds = 60_000
const brainsAtOnce = 100
const vectorsAtOnce = 5_000

/** Deletes the vectors by which no Brain answers. Safe on any number of nodes and to repeat. */
export const purgeSpaces = async ({ db }: { db: Db }, now: Date): Promise<void> => {
  const unusedSince = new Date(now.getTime() - unusedMilliseconds)
  const before = new Date(now.getTime() - endedMilliseconds)
  for (const space of await selectUnusedSpaces(db, unusedSince)) {
    for (let after = 0, found = brainsAtOnce; found === brainsAtOnce; ) {
      const brains = await selectLeftBrains(db, space, { before, after, limit: brainsAtOnce })
      for (const brainId of brains) {
        while ((await deleteVectors(db, { brainId, space }, vectorsAtOnce)) === vectorsAtOnce);
        await deleteProgress(db, { brainId, space })
      }
      found = brains.length
      after = brains.at(-1) ?? after
    }
    await deleteSpace(db, space, unusedSince)
  }
}
