import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../brain/brain-turns/brain-turns.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { livePassagesAfter, passagesTopics, passageTexts } from '../lexical-index/lexical-index.ts'
import { brainsToEmbed, insertVectors, noteSpace, openProgress, type Place, type Progress } from './queries.ts'
import { quantize } from './vector-index.ts'

// Gives passages their vectors. A Brain is leased, some of its passages are read and embedded with nothing held, and one
// statement stores the vectors where the Brain is still where it was found: so two nodes never store one passage twice, and
// a node that dies leaves its lease to run out. Passages that ended before their turn get none.

export type EmbeddingDeps = { db: Db; clock: Clock; log: Log; embedder: Embedder }

/** Passages of one turn: a Brain with many goes on when others had theirs. */
const passagesAtOnce = 64
/** How long an embedder that is away is left alone. */
const awayMilliseconds = 10_000
/** How often it is noted that a space is in use. */
const noteMilliseconds = 3_600_000

/** Splits what was refused as a whole, to find the texts that are refused for ever; they are left out. */
const embedByHalves = async (deps: EmbeddingDeps, space: string, texts: [number, string][], refusal: Error) => {
  if (texts.length > 1) {
    const half = texts.length >> 1
    const first = await embedTexts(deps, space, texts.slice(0, half))
    return [...first, ...(await embedTexts(deps, space, texts.slice(half)))]
  }
  // Whoever refuses this as well refuses everything, and is not to be taken at its word.
  await deps.embedder.embed(['A plain sentence.'], 'passage').catch((error: Error) => {
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
    const embedded = await deps.embedder.embed(plain, 'passage')
    if (embedded.space !== space) throw new EmbedderUnavailable('The embedder changed to another space.')
    return embedded.vectors.map((vector, place) => [texts[place]?.[0] ?? 0, quantize(vector)])
  } catch (error) {
    if (error instanceof TextsRefused) return embedByHalves(deps, space, texts, error)
    throw error
  }
}

/** Embeds the next passages of a Brain. Undefined where another node moved on from here, or the Brain is gone. */
const embedNext = async (
  deps: EmbeddingDeps,
  place: Place,
  { passage, lastPassage }: Progress,
): Promise<Progress | undefined> => {
  const { db } = deps
  const live = await livePassagesAfter(db, place.brainId, passage, passagesAtOnce)
  const texts = [...(await passageTexts(db, place.brainId, live))]
  const vectors = await embedTexts(deps, place.space, texts)
  const to = live.length < passagesAtOnce ? lastPassage : (live.at(-1) ?? lastPassage)
  return insertVectors(db, { ...place, from: passage, to }, new Map(vectors))
}

const embedBrain = async (deps: EmbeddingDeps, place: Place, { stopping }: BrainTurn): Promise<BrainTurnEnd> => {
  const found = await openProgress(deps.db, place.brainId, place.space)
  if (!found || found.passage >= found.lastPassage || stopping.aborted) return 'done'
  const progress = await embedNext(deps, place, found)
  return progress && progress.passage < progress.lastPassage ? 'unfinished' : 'done'
}

/** Whether the embedder can be asked: one that is away has been logged, and is left alone for a while. */
const createAway = (clock: Clock) => {
  let until = 0
  return {
    isOver: () => clock.now().getTime() >= until,
    /** Answers what is asked of the embedder, or undefined where it is away. */
    unlessAway: async <Result>(asked: () => Promise<Result>): Promise<Result | undefined> => {
      try {
        return await asked()
      } catch (error) {
        if (!(error instanceof EmbedderUnavailable)) throw error
        until = clock.now().getTime() + awayMilliseconds
        return undefined
      }
    },
  }
}

/** The embedding of passages: those of Brains whose index moved on, and whatever is waiting. */
export const createEmbedding = (deps: EmbeddingDeps) => {
  const { db, clock, embedder } = deps
  const away = createAway(clock)
  let notedAt = 0
  const findSpace = async (): Promise<string | undefined> => {
    const space = away.isOver() ? await away.unlessAway(() => embedder.space()) : undefined
    const now = clock.now()
    if (space !== undefined && now.getTime() - notedAt > noteMilliseconds) {
      await noteSpace(db, space, now)
      notedAt = now.getTime()
    }
    return space
  }
  return createBrainWork(deps, {
    name: 'embed passages',
    ...{ work: 'embed', maxTurns: 8, leaseSeconds: 120, topic: passagesTopics },
    behind: async (narrow) => {
      const space = await findSpace()
      return space === undefined ? undefined : brainsToEmbed(narrow, space)
    },
    run: async (brainId, turn) => {
      const embedded = await away.unlessAway(async () =>
        embedBrain(deps, { brainId, space: await embedder.space() }, turn),
      )
      return embedded ?? 'done'
    },
  })
}
