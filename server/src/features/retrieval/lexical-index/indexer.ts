import type { Clock } from '../../../shared/clock.ts'
import type { Topic, Topics } from '../../../shared/concurrency/topics.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { indexBatch, retryUnsearchable } from './index-batch.ts'
import { type IndexerThread, openIndexerThread } from './indexer-thread.ts'
import { brainsToIndex, openProgress } from './indexing-queries.ts'

// Updates the passages of Brains: reads batches of the stream's events, indexes them on another thread, and commits. A lease usually
// keeps two nodes from doing the same work.

/** The kind of topic for Brains whose index advanced. */
export const passagesTopics = 'passages:'

type Deps = { db: Db; prepared: RunPrepared; topics: Topics; clock: Clock; log: Log }
type Work = Deps & { thread: IndexerThread }

/** Batches of one turn: a long stream takes several, so that other Brains have their turn. */
const maxBatches = 20

const passagesTopic = (brainId: number): Topic => `${passagesTopics}${brainId}`

/** Advances the index of a Brain towards the head of its stream. */
const indexBrain = async (deps: Work, brainId: number, { stopping, renew }: BrainTurn): Promise<BrainTurnEnd> => {
  const opened = await openProgress(deps.db, brainId)
  const retried = opened && (await retryUnsearchable(deps, brainId, opened))
  if (retried?.hasMore) return 'unfinished'
  let progress = retried?.progress
  for (let batch = 0; progress && batch < maxBatches; batch++) {
    const next = await indexBatch(deps, brainId, progress)
    if (next) deps.topics.publish(passagesTopic(brainId))
    if (!next?.hasMore) return 'done'
    if (stopping.aborted || !(await renew())) return 'unfinished'
    progress = next.progress
  }
  return progress ? 'unfinished' : 'done'
}

/** Indexes passages on one node. */
export type PassageIndexer = {
  work: ReturnType<typeof createBrainWork>
  /** Stops: work that was not committed is repeated later. */
  close(): Promise<void>
}

/** Content is searchable before it is indexed, so indexing waits for an idle moment, but not for ever. */
export const createPassageIndexer = (deps: Deps): PassageIndexer => {
  const thread = openIndexerThread()
  const work = createBrainWork(deps, {
    name: 'index passages',
    ...{ work: 'index', maxTurns: 8, leaseSeconds: 60 },
    topic: 'brain:',
    debounce: { quietMilliseconds: 250, maxMilliseconds: 5_000 },
    behind: brainsToIndex,
    run: (brainId, turn) => indexBrain({ ...deps, thread }, brainId, turn),
  })
  return { work, close: () => thread.close() }
}
