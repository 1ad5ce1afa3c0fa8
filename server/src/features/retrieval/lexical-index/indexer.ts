import type { Clock } from '../../../shared/clock.ts'
import type { Topic, Topics } from '../../../shared/concurrency/topics.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { indexBatch, retryUnsearchable } from './index-batch.ts'
import { type IndexerThread, openIndexerThread } from './indexer-thread.ts'
import { brainsToIndex, openProgress } from './indexing-queries.ts'

// Keeps the passages of Brains current: batches of the stream's events are read, indexed on another thread, and committed. A
// lease keeps two nodes from doing the same work, as a rule.

/** The kind of topic that tells of Brains whose index has moved on. */
export const passagesTopics = 'passages:'

type Deps = { db: Db; prepared: RunPrepared; topics: Topics; clock: Clock; log: Log }
type Work = Deps & { thread: IndexerThread }

/** Batches of one turn: a long way to go is gone in parts, so that others have their turn. */
const maxBatches = 20

const passagesTopic = (brainId: number): Topic => `${passagesTopics}${brainId}`

/** Brings the index of a Brain up to its stream, or nearer. */
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

/** The indexing of passages on one node. */
export type PassageIndexer = {
  work: ReturnType<typeof createBrainWork>
  /** Stops: what is half done was not committed, and is done again. */
  close(): Promise<void>
}

/** What is written is searchable before it is indexed, so that can wait for a quiet moment, but not for ever. */
export const createPassageIndexer = (deps: Deps): PassageIndexer => {
  const thread = openIndexerThread()
  const work = createBrainWork(deps, {
    name: 'index passages',
    ...{ work: 'index', maxTurns: 8, leaseSeconds: 60 },
    topic: 'brain:',
    patience: { quietMilliseconds: 250, maxMilliseconds: 5_000 },
    behind: brainsToIndex,
    run: (brainId, turn) => indexBrain({ ...deps, thread }, brainId, turn),
  })
  return { work, close: () => thread.close() }
}
