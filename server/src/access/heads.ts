import { type BrainRow, selectLiveHead } from '../features/kernel/brains/brain-queries.ts'
import type { BrainServers } from '../storage/brain-servers.ts'
import type { RunPrepared } from '../storage/database.ts'
import type { LookUpStatements } from './queries.ts'

/** A row of a lookup, with the Brain that it is about, if there is one. */
export type WithBrain = { place: number } & (BrainRow | { brainId: null })

export type LookUpDeps = { prepared: RunPrepared; isDivided: boolean; brainServers: BrainServers }

/** The head of a live Brain, from its own server. */
export const readHead = async (servers: BrainServers, brainId: number): Promise<BrainRow | undefined> => {
  const [head] = await servers.read(brainId, ({ prepared }) => prepared(selectLiveHead({ brainId })))
  return head
}

/** Runs lookups, by the statement that reads heads or, where these are on other servers, by the one that does not. */
export const createLookUpRunner =
  ({ prepared, isDivided }: LookUpDeps) =>
  <Params, Row extends WithBrain>({ whole, divided }: LookUpStatements<Params, Row>, params: Params): Promise<Row[]> =>
    prepared((isDivided ? divided : whole)(params))

/**
 * Adds the head of its Brain to the row of a lookup that did not read it; undefined where all of them do. A row whose Brain is gone has none;
 * if it is the key of that Brain, there is no row.
 */
export const createHeadLookUp = ({ isDivided, brainServers }: LookUpDeps) => {
  if (!isDivided) return undefined
  return async <Row extends WithBrain>(row: Row): Promise<Row | undefined> => {
    if (row.brainId === null) return row
    const head = await readHead(brainServers, row.brainId)
    if (head) return { ...row, ...head }
    return 'memberRole' in row ? { ...row, brainId: null } : undefined
  }
}
