import type { Measures } from '../../../shared/measures.ts'
import type { ReadSource } from '../../../storage/database.ts'
import type { Replicas } from '../../../storage/replicas.ts'
import type { BrainRow } from '../brains/brain-queries.ts'
import { type Reach, selectReach } from './queries.ts'

// Reads of a Brain from replicas. Who may read is always found out on the primary, and with it the Brain's row as it is at that
// moment. A replica is read if it shows the Brain at least as far as that row: so whatever was acknowledged before the
// request came, by any node, is in its answer, and no answer goes back behind another.

type ReadName = 'stream' | 'search' | 'context' | 'query' | 'export'

/** A read of a Brain that was let in with this row. */
type BrainRead<Found> = {
  read: ReadName
  brain: BrainRow
  /**
   * Whether what was found on a replica is all that the primary would have shown. Where it is not given, the replica is asked
   * for the Brain's row first.
   */
  isEnough?: (found: Found) => boolean
}

export type BrainReads = {
  /** Reads from a replica that is far enough, or from the primary. The task may run on one and then on the other. */
  run<Found>(asked: BrainRead<Found>, task: (source: ReadSource) => Promise<Found>): Promise<Found>
}

/** Where positions are equal, settings of the Brain may differ, which have no event: then only the same row is as far. */
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
  measures,
}: {
  primary: ReadSource
  replicas: Replicas
  measures: Measures
}): BrainReads => {
  const count = (read: ReadName, outcome: 'replica' | 'behind' | 'failed' | 'away') =>
    measures.tell('noema_replica_reads_total', 1, { read, outcome })

  /** What a replica shows; undefined where it is not as far. */
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
    run: async (asked, task) => {
      if (replicas.count === 0) return task(primary)
      const { read, brain } = asked
      const replica = replicas.find(brain.brainId)
      if (replica) {
        try {
          const shown = await readFrom(replica, asked, task)
          count(read, shown ? 'replica' : 'behind')
          if (shown) return shown.found
        } catch (error) {
          // Whatever it is, a refusal too: the primary is asked, so that no error is ever a replica's.
          replicas.noteFailure(replica, error)
          count(read, 'failed')
        }
      } else count(read, 'away')
      return task(primary)
    },
  }
}
