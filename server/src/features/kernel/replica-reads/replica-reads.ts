import type { Measures } from '../../../shared/measures.ts'
import type { BrainServers } from '../../../storage/brain-servers.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { Replicas } from '../../../storage/replicas.ts'
import type { BrainRow } from '../brains/brain-queries.ts'
import { type Reach, selectReach } from './queries.ts'

// Reads of a Brain from replicas. Authorization always reads the primary, and with it the Brain's current row. A replica is
// used if its Brain is at least at that row's position. So an answer has every write that any node acknowledged before the
// request arrived, and no answer is older than an earlier one.

type ReadName = 'stream' | 'search' | 'context' | 'query' | 'export'

/** A read of a Brain that was authorized with this row. */
type BrainRead<Found> = {
  read: ReadName
  brain: BrainRow
  /**
   * Checks whether a replica's result is all that the primary would have returned. Without it, the replica's row of the
   * Brain is read first.
   */
  isEnough?: (found: Found) => boolean
}

export type BrainReads = {
  /** The database that has every write. */
  readonly primary: ReadSource
  /** Reads from a replica that is far enough, or from the primary. The task may run on one and then on the other. */
  run<Found>(request: BrainRead<Found>, task: (source: ReadSource) => Promise<Found>): Promise<Found>
  /** Reads from the database that has every write of a Brain, never from a replica: from its worker in a cluster. */
  runCurrent<Found>(brain: BrainRow, task: (source: ReadSource) => Promise<Found>): Promise<Found>
}

/** At equal positions, settings of the Brain may differ, which have no event: then only the same row is as far. */
const isAsFar = (brain: Reach, found: Reach): boolean =>
  found.position > brain.position ||
  (found.position === brain.position &&
    found.stateVersion === brain.stateVersion &&
    found.schemaVersion === brain.schemaVersion &&
    found.updatedAt.getTime() === brain.updatedAt.getTime())

/** Opens the reads of Brains of a node. */
export const createBrainReads = ({
  primary,
  replicas,
  brainServers,
  isDivided,
  measures,
}: {
  primary: ReadSource
  replicas: Replicas
  brainServers: BrainServers
  isDivided: boolean
  measures: Measures
}): BrainReads => {
  const count = (read: ReadName, outcome: 'replica' | 'behind' | 'failed' | 'away') =>
    measures.report('noema_replica_reads_total', 1, { read, outcome })

  /** The result of a replica; undefined where it lags behind. */
  const readFrom = async <Found>(
    replica: ReadSource,
    { brain, isEnough }: BrainRead<Found>,
    task: (source: ReadSource) => Promise<Found>,
  ): Promise<{ found: Found } | undefined> => {
    if (!isEnough) {
      const [reach] = await replica.prepared(selectReach({ brainId: brain.brainId }))
      if (!reach || !isAsFar(brain, reach)) return undefined
    }
    const found = await task(replica)
    return isEnough?.(found) === false ? undefined : { found }
  }

  return {
    primary,
    runCurrent: ({ brainId }, task) => (isDivided ? brainServers.read(brainId, task) : task(primary)),
    run: async (request, task) => {
      const { read, brain } = request
      if (replicas.count === 0) return isDivided ? brainServers.read(brain.brainId, task) : task(primary)
      const replica = replicas.find(brain.brainId)
      if (replica) {
        try {
          const shown = await readFrom(replica, request, task)
          count(read, shown ? 'replica' : 'behind')
          if (shown) return shown.found
        } catch (error) {
          // After any error, also a refusal, the primary is read, so that no error ever comes from a replica.
          replicas.recordFailure(replica, error)
          count(read, 'failed')
        }
      } else count(read, 'away')
      return task(primary)
    },
  }
}
