import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Topics } from '../../../shared/topics.ts'
import type { Db } from '../../../storage/database.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { livePassagesAfter, passageTexts } from '../lexical-index/lexical-index.ts'
import { insertVectors, leaseProgress, noteSpace, type Progress, releaseProgress, selectBehind } from './queries.ts'
import { quantize } from './vector-index.ts'

// Gives passages their vectors. A Brain is leased, some of its passages are read and embedded with nothing held, and one
// statement stores the vectors where the Brain is still where it was found: so two nodes never store one passage twice, and
// a node that dies leaves its lease to run out. Passages that ended before their turn get none.

export type EmbeddingDeps = { db: Db; clock: Clock; log: Log; topics: Topics; embedder: Embedder }

const leaseMilliseconds = 60_000
const passagesAtOnce = 256
/** How often a Brain goes on before others have their turn. */
const stepsOfABrain = 2
const brainsAtOnce = 100
/** How long a turn goes on: what was written meanwhile is seen by the next one. */
const turnMilliseconds = 10_000

/** For how many turns a write is expected to become passages; what takes longer is found by the sweep. */
const turnsExpected = 10
/** How often all Brains are looked at, in turns: for wakes that were lost, and what another node left undone. */
const sweepEvery = 30

/** Splits what was refused as a whole, to find the texts that are refused for ever; they are left out. */
const embedByHalves = async (deps: EmbeddingDeps, space: string, texts: [number, string][], refusal: Error) => {
  if (texts.length > 1) {
    const half = texts.length >> 1
    const first = await embedTexts(deps, space, texts.slice(0, half))
    return [...first, ...(await embedTexts(deps, space, texts.slice(half)))]
  }
  // Whoever refuses this as well refuses everything, and is not to be taken at its word.
  await deps.embedder.embed(['A plain sentence.'], 'later').catch((error: Error) => {
    throw new EmbedderUnavailable(error.message)
  })
  deps.log.warn({ passage: texts[0]?.[0], reason: refusal.message }, 'a passage is left without a vector')
  return []
}

const embedTexts = async (
  deps: EmbeddingDeps,
  space: string,
  texts: [number, string][],
): Promise<[number, Int8Array][]> => {
  if (texts.length === 0) return []
  const plain = texts.map(([, text]) => text)
  try {
    const embedded = await deps.embedder.embed(plain, 'later')
    if (embedded.space !== space) throw new EmbedderUnavailable('The embedder changed to another space.')
    return embedded.vectors.map((vector, place) => [texts[place]?.[0] ?? 0, quantize(vector)])
  } catch (error) {
    if (error instanceof TextsRefused) return embedByHalves(deps, space, texts, error)
    throw error
  }
}

type Leased = { brainId: number; space: string; until: Date }

const leaseFrom = (clock: Clock): Date => new Date(clock.now().getTime() + leaseMilliseconds)

/** Embeds the next passages of a leased Brain. Undefined where another node took over, or the Brain is gone. */
const embedNext = async (
  deps: EmbeddingDeps,
  leased: Leased,
  { passage, lastPassage }: Progress,
): Promise<Progress | undefined> => {
  const { db } = deps
  const live = await livePassagesAfter(db, leased.brainId, passage, passagesAtOnce)
  const texts = [...(await passageTexts(db, leased.brainId, live))]
  const vectors = await embedTexts(deps, leased.space, texts)
  const to = live.length < passagesAtOnce ? lastPassage : (live.at(-1) ?? lastPassage)
  return insertVectors(db, { ...leased, from: passage, to }, new Map(vectors))
}

/** Embeds some passages of a Brain, unless another node is about it. Tells whether it came further. */
const embedBrain = async (deps: EmbeddingDeps, brainId: number, space: string): Promise<boolean> => {
  const leased = { brainId, space, until: leaseFrom(deps.clock) }
  let progress = await leaseProgress(deps.db, brainId, space, { now: deps.clock.now(), until: leased.until })
  const begun = progress?.passage
  try {
    for (let step = 0; progress && progress.passage < progress.lastPassage && step < stepsOfABrain; step++) {
      const until = leaseFrom(deps.clock)
      progress = await embedNext(deps, { ...leased, until }, progress)
      leased.until = until
    }
  } finally {
    await releaseProgress(deps.db, leased).catch(() => undefined)
  }
  return progress !== undefined && progress.passage !== begun
}

/** Embeds what Brains have waiting, of those given or of all, until nothing is left or the turn is over. */
const embedBehind = async (deps: EmbeddingDeps, space: string, brains: readonly number[] | undefined) => {
  const begun = deps.clock.now().getTime()
  let goesOn = true
  while (goesOn) {
    goesOn = false
    const now = deps.clock.now()
    if (now.getTime() - begun > turnMilliseconds) return
    for (const brainId of await selectBehind(deps.db, { space, now, brains, limit: brainsAtOnce })) {
      try {
        if (await embedBrain(deps, brainId, space)) goesOn = true
      } catch (error) {
        if (error instanceof EmbedderUnavailable) throw error
        deps.log.warn({ brainId, err: error }, 'passages of a Brain could not be embedded; they will be tried again')
      }
    }
  }
}

/**
 * The embedding of passages on one node, a turn at a time: what was written lately, and now and then whatever is waiting.
 * Listens for writes, since a Brain that was written to has new passages soon. Ends when the embedder is closed.
 */
export const createPassageEmbedder = (deps: EmbeddingDeps): (() => Promise<void>) => {
  /** Brains that may have new passages, and for how many turns they are still looked at. */
  const expected = new Map<number, number>()
  deps.topics.subscribe('brain:', (id) => expected.set(Number(id), turnsExpected))
  let turns = 0
  return async () => {
    const isSweep = turns++ % sweepEvery === 0
    const brains = [...expected.keys()]
    for (const [brainId, left] of expected)
      if (left > 1) expected.set(brainId, left - 1)
      else expected.delete(brainId)
    if (!isSweep && brains.length === 0) return
    try {
      const space = await deps.embedder.space()
      if (isSweep) await noteSpace(deps.db, space, deps.clock.now())
      await embedBehind(deps, space, isSweep ? undefined : brains)
    } catch (error) {
      // It has been logged, and is left alone for a while.
      if (!(error instanceof EmbedderUnavailable)) throw error
    }
  }
}
