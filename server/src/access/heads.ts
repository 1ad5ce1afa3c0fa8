import { type BrainRow, selectLiveBrain } from '../features/kernel/brains/brain-queries.ts'
import type { Db } from '../storage/database.ts'

/** A row of a lookup, with the Brain that it is about, if there is one. */
export type WithBrain = { place: number } & (BrainRow | { brainId: null })

/**
 * Adds the heads of their Brains to the rows of a lookup, which did not read them. A row whose Brain is gone has none, or is left out
 * if it is the key of that Brain.
 */
export const withHeads = async <Row extends WithBrain>(db: Db, found: Promise<Row[]>): Promise<Row[]> => {
  const complete = async (row: Row): Promise<Row[]> => {
    if (row.brainId === null) return [row]
    const head = await selectLiveBrain(db, row.brainId)
    if (head) return [{ ...row, ...head }]
    return 'memberRole' in row ? [{ ...row, brainId: null }] : []
  }
  return (await Promise.all((await found).map(complete))).flat()
}
