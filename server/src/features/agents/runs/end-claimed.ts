import type { Db } from '../../../storage/database.ts'
import type { RunStore } from './run-store.ts'
import { selectOpenClaimed } from './start-queries.ts'
import type { Ending } from './types.ts'

/** Ends the open runs that were started with keys of one sender, also those that a node began and could not store. */
export const endClaimed = async (
  { keyedDb, runs }: { keyedDb: Db; runs: Pick<RunStore, 'end'> },
  { organizationId, sender }: { organizationId: string; sender: string },
  ending: Ending,
): Promise<void> => {
  const open = await selectOpenClaimed(keyedDb, organizationId, sender)
  await Promise.all(open.map((id) => runs.end({ organizationId, id, ending })))
}
