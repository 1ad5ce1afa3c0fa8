import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Topics } from '../../../shared/topics.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { BuiltSegment } from './build-segment.ts'
import { chooseMerge } from './choose-merge.ts'
import { type IndexerThread, openIndexerThread } from './indexer-thread.ts'
import {
  holdBrain,
  insertPassages,
  insertPostings,
  insertSegment,
  leaseProgress,
  mergeSegments,
  moveProgress,
  noteEnds,
  type Progress,
  releaseProgress,
  selectBehind,
  selectSegments,
} from './indexing-queries.ts'
import { readStreamBatch, type StreamBatch } from './read-stream.ts'

// Keeps the passages of Brains current. A batch of the stream's events is read, indexed on another thread, and committed in one
// short transaction that holds only if the index is where it was found: so two nodes may do the same work, and one of them
// in vain, but never twice. A lease keeps them from it as a rule.

type Deps = { db: Db; prepared: RunPrepared; topics: Topics; clock: Clock; log: Log }
type Work = Deps & { thread: IndexerThread }

const leaseMilliseconds = 60_000
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

const batchesAtOnce = 20

/** Brings the index of a Brain up to its stream, or nearer, unless another node is about it. Tells whether more is left. */
const indexBrain = async (deps: Work, brainId: number): Promise<boolean> => {
  const now = deps.clock.now()
  const until = new Date(now.getTime() + leaseMilliseconds)
  let progress = await leaseProgress(deps.db, brainId, now, until)
  try {
    for (let left = batchesAtOnce; progress; left--) {
      if (left === 0) return true
      const next = await indexBatch(deps, brainId, progress)
      progress = next?.hasMore ? next.progress : undefined
    }
    return false
  } finally {
    await releaseProgress(deps.db, brainId, until).catch(() => undefined)
  }
}

/** How many turns a Brain that is written to without pause waits for its index, and one that came to rest. */
const patience = { busy: 20, quiet: 1 }
/** How often all Brains are looked at, in turns: for wakes that were lost, and what another node left undone. */
const sweepEvery = 120
const brainsAtOnce = 1_000

/** The indexing of passages on one node. */
export type PassageIndexer = {
  /** One turn, a quarter of a second after the other: indexes Brains that came to rest, and others that waited long. */
  turn(): Promise<void>
  /** Indexes everything that is behind, at once. */
  catchUp(): Promise<void>
  /** Stops: what is half done was not committed, and is done again. */
  close(): Promise<void>
}

/** Starts listening for writes. What is written is searchable before it is indexed, so that can wait for a quiet moment. */
export const createPassageIndexer = (deps: Deps): PassageIndexer => {
  const work = { ...deps, thread: openIndexerThread() }
  /** Brains that were written to: since how many turns, and for how many of them not any more. */
  const waiting = new Map<number, { turns: number; quiet: number }>()
  const stopListening = deps.topics.subscribe('brain:', (id) => {
    const brainId = Number(id)
    waiting.set(brainId, { turns: waiting.get(brainId)?.turns ?? 0, quiet: -1 })
  })
  let turns = 0
  let isClosed = false
  const index = async (brainId: number): Promise<boolean> =>
    !isClosed &&
    indexBrain(work, brainId).catch((error) => {
      if (!isClosed) deps.log.warn({ brainId, err: error }, 'a Brain could not be indexed; it will be tried again')
      return false
    })
  const catchUp = async () => {
    for (let behind = await selectBehind(deps.db, 0, brainsAtOnce); behind.length > 0; ) {
      for (const brainId of behind) while (await index(brainId));
      behind = await selectBehind(deps.db, behind.at(-1) ?? 0, brainsAtOnce)
    }
  }
  return {
    turn: async () => {
      for (const [brainId, waited] of waiting) {
        waited.turns++
        waited.quiet++
        if (waited.quiet < patience.quiet && waited.turns < patience.busy) continue
        waiting.delete(brainId)
        // A long way to go is gone in parts, so that others have their turn.
        if (await index(brainId)) waiting.set(brainId, { turns: patience.busy, quiet: 0 })
      }
      if (turns++ % sweepEvery === 0) await catchUp()
    },
    catchUp,
    close: async () => {
      isClosed = true
      stopListening()
      await work.thread.close()
    },
  }
}
