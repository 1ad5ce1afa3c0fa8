import { type BrainRow, selectLiveBrain } from '../features/kernel/brains/brain-queries.ts'
import type { Db, RunPrepared } from '../storage/database.ts'
import type { LookUpStatements } from './queries.ts'

/** A row of a lookup, with the Brain that it is about, if there is one. */
export type WithBrain = { place: number } & (BrainRow | { brainId: null })

/**
 * Adds the heads of their Brains to the rows of a lookup, which did not read them. A row whose Brain is gone has none, or is left out
 * if it is the key of that Brain.
 */
const withHeads = async <Row extends WithBrain>(db: Db, found: Promise<Row[]>): Promise<Row[]> => {
  const complete = async (row: Row): Promise<Row[]> => {
    if (row.brainId === null) return [row]
    const head = await selectLiveBrain(db, row.brainId)
    if (head) return [{ ...row, ...head }]
    return 'memberRole' in row ? [{ ...row, brainId: null }] : []
  }
  return (await Promise.all((await found).map(complete))).flat()
}

/** Runs lookups, by the statement that reads heads or, where these are on other servers, by the one that does not. */
export const createLookUpRunner =
  ({ db, prepared, isDivided }: { db: Db; prepared: RunPrepared; isDivided: boolean }) =>
  <Params, Row extends WithBrain>({ whole, divided }: LookUpStatements<Params, Row>, params: Params): Promise<Row[]> =>
    isDivided ? withHeads(db, prepared(divided(params))) : prepared(whole(params))
