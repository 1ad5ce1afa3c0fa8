import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Topic, Topics } from '../../../shared/topics.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../brain/brain-turns/brain-turns.ts'
import type { BuiltSegment } from './build-segment.ts'
import { chooseMerge } from './choose-merge.ts'
import { type IndexerThread, openIndexerThread } from './indexer-thread.ts'
import {
  brainsToIndex,
  holdBrain,
  insertPassages,
  insertPostings,
  insertSegment,
  mergeSegments,
  moveProgress,
  noteEnds,
  openProgress,
  type Progress,
  selectSegments,
} from './indexing-queries.ts'
import { readStreamBatch, type StreamBatch } from './read-stream.ts'

// Keeps the passages of Brains current. A batch of the stream's events is read, indexed on another thread, and committed in one
// short transaction that holds only if the index is where it was found: so two nodes may do the same work, and one of them
// in vain, but never twice. A lease keeps them from it as a rule.

/** The kind of topic that tells of Brains whose index has moved on. */
export const passagesTopics = 'passages:'

type Deps = { db: Db; prepared: RunPrepared; topics: Topics; clock: Clock; log: Log }
type Work = Deps & { thread: IndexerThread }

const batchLimits = { maxEvents: 2_000, maxCharacters: 4_000_000 }

const commitBatch = (deps: Work, brainId: number, from: Progress, batch: StreamBatch, built: BuiltSegment) =>
  deps.db.transaction().execute(async (tx): Promise<Progress | undefined> => {
    const { position, ended } = batch
    const count = built.passages.length
    const segment = from.lastSegment + 1
    const to = { position, lastPassage: from.lastPassage + count, lastSegment: segment }
    if (!(await holdBrain(tx, brainId)) || !(await moveProgress(tx, brainId, from, to))) return undefined
    if (count > 0) {
      await insertPassages(tx, brainId, from.lastPassage, built)
      await insertPostings(tx, brainId, segment, built)
      await insertSegment(tx, brainId, { segment, firstPassage: from.lastPassage + 1, lastPassage: to.lastPassage })
    }
    if (ended.length > 0) await noteEnds(tx, brainId, position, ended)
    return to
  })

const mergeWhereDue = async (deps: Work, brainId: number, from: Progress): Promise<Progress | undefined> => {
  const parts = chooseMerge(await selectSegments(deps.db, brainId))
  const [first, last] = [parts.at(0), parts.at(-1)]
  if (!first || !last) return from
  return deps.db.transaction().execute(async (tx) => {
    const to = { ...from, lastSegment: from.lastSegment + 1 }
    if (!(await holdBrain(tx, brainId)) || !(await moveProgress(tx, brainId, from, to))) return undefined
    const { firstPassage } = first
    const merged = { segment: to.lastSegment, firstPassage, lastPassage: last.lastPassage }
    await mergeSegments(tx, brainId, merged, parts)
    return to
  })
}

const nothing: BuiltSegment = { passages: [], terms: [], ends: [], lists: new Uint8Array() }

/** Indexes the next batch of a Brain's stream. Undefined where another node took over, or the Brain is gone. */
const indexBatch = async (deps: Work, brainId: number, from: Progress) => {
  const batch = await readStreamBatch(deps, brainId, { ...batchLimits, after: from.position })
  const { versions, hasMore } = batch
  const built = versions.length === 0 ? nothing : await deps.thread.build({ versions, lastPassage: from.lastPassage })
  const committed = await commitBatch(deps, brainId, from, batch, built)
  const merged = committed && (await mergeWhereDue(deps, brainId, committed))
  return merged && { progress: merged, hasMore }
}

/** Batches of one turn: a long way to go is gone in parts, so that others have their turn. */
const maxBatches = 20

const passagesTopic = (brainId: number): Topic => `${passagesTopics}${brainId}`

/** Brings the index of a Brain up to its stream, or nearer. */
const indexBrain = async (deps: Work, brainId: number, { stopping, renew }: BrainTurn): Promise<BrainTurnEnd> => {
  let progress = await openProgress(deps.db, brainId)
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
    ...{ work: 'index', maxTurns: 4, leaseSeconds: 60 },
    topic: 'brain:',
    patience: { quietMilliseconds: 250, maxMilliseconds: 5_000 },
    behind: brainsToIndex,
    run: (brainId, turn) => indexBrain({ ...deps, thread }, brainId, turn),
  })
  return { work, close: () => thread.close() }
}
