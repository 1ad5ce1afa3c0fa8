import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { passagesTopics } from '../lexical-index/indexer.ts'
import { livePassagesAfter, passageTexts } from '../lexical-index/lexical-index.ts'
import type { Spaces } from './claim-spaces.ts'
import type { FormerEmbedders } from './former-embedders.ts'
import { insertVectors, openProgress, type Place, type Progress } from './queries.ts'
import { brainsToEmbed, brainsToKeep, selectAnswering, switchSpace } from './space-queries.ts'
import { quantize } from './vector-index.ts'

// Gives passages their vectors. A Brain is leased, some of its passages are read and embedded with nothing held, and one
// statement stores the vectors where the Brain is still where it was found: so two nodes never store one passage twice, and
// a node that dies leaves its lease to run out. Passages that ended before their turn get none. A Brain whose vectors are of another
// model is embedded anew in the same way, beside what is new: that gets a vector of the model that still answers as well, so that
// it is found by meaning all the while. When the last passage has its vector, the Brain answers by the new ones.

export type EmbeddingDeps = {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  formers: FormerEmbedders
  look(): Promise<Spaces>
}

/** What embeds passages, and in which space. */
type By = { db: Db; log: Log; embedder: Embedder; space: string }

/** Passages of one turn: a Brain with many goes on when others had theirs. */
const passagesAtOnce = 64
/** How long an embedder that is away is left alone. */
const awayMilliseconds = 10_000

/** Splits what was refused as a whole, to find the texts that are refused for ever; they are left out. */
const embedByHalves = async (by: By, texts: [number, string][], refusal: Error) => {
  if (texts.length > 1) {
    const half = texts.length >> 1
    const first = await embedTexts(by, texts.slice(0, half))
    return [...first, ...(await embedTexts(by, texts.slice(half)))]
  }
  // Whoever refuses this as well refuses everything, and is not to be taken at its word.
  await by.embedder.embed(['A plain sentence.'], 'passage').catch((error: Error) => {
    throw new EmbedderUnavailable(error.message)
  })
  by.log.warn({ passage: texts[0]?.[0], reason: refusal.message }, 'a passage is left without a vector')
  return []
}

const embedTexts = async (by: By, texts: [number, string][]): Promise<[number, Int8Array][]> => {
  if (texts.length === 0) return []
  const plain = texts.map(([, text]) => text)
  try {
    const embedded = await by.embedder.embed(plain, 'passage')
    if (embedded.space !== by.space) throw new EmbedderUnavailable('The embedder changed to another space.')
    return embedded.vectors.map((vector, place) => [texts[place]?.[0] ?? 0, quantize(vector)])
  } catch (error) {
    if (error instanceof TextsRefused) return embedByHalves(by, texts, error)
    throw error
  }
}

/** Embeds the next passages of a Brain. Undefined where another node moved on from here, or the Brain is gone. */
const embedNext = async (by: By, place: Place, { passage, lastPassage }: Progress): Promise<Progress | undefined> => {
  const live = await livePassagesAfter(by.db, place.brainId, passage, passagesAtOnce)
  const texts = [...(await passageTexts(by.db, place.brainId, live))]
  const vectors = await embedTexts(by, texts)
  const to = live.length < passagesAtOnce ? lastPassage : (live.at(-1) ?? lastPassage)
  return insertVectors(by.db, { ...place, from: passage, to }, new Map(vectors))
}

/** Does a turn's part of a Brain, and tells how far it is; undefined where somebody else is at it, or the Brain is gone. */
const embedBrain = async (by: By, brainId: number, { stopping }: BrainTurn): Promise<Progress | undefined> => {
  const place = { brainId, space: by.space }
  const found = await openProgress(by.db, brainId, by.space)
  if (!found || found.passage >= found.lastPassage || stopping.aborted) return found
  return embedNext(by, place, found)
}

const isWhole = ({ passage, lastPassage }: Progress): boolean => passage >= lastPassage

/** Gives what is new a vector of the model that a Brain still answers by, if that is here. */
const keepFormer = async (deps: EmbeddingDeps, brainId: number, { own }: Spaces, turn: BrainTurn): Promise<void> => {
  const [found] = await deps.prepared(selectAnswering(brainId))
  const space = found?.answering
  if (!space || space === own) return
  const embedder = await deps.formers.find(space)
  if (!embedder) return
  try {
    await embedBrain({ db: deps.db, log: deps.log, embedder, space }, brainId, turn)
  } catch (error) {
    // What is away holds up nothing: its passages are found by their words until they have vectors of the new model.
    if (!(error instanceof EmbedderUnavailable)) throw error
  }
}

const runTurn = async (
  deps: EmbeddingDeps,
  brainId: number,
  spaces: Spaces,
  turn: BrainTurn,
): Promise<BrainTurnEnd> => {
  const { db, log, clock, embedder } = deps
  const { own, wanted } = spaces
  if (own === wanted) await keepFormer(deps, brainId, spaces, turn)
  const progress = await embedBrain({ db, log, embedder, space: own }, brainId, turn)
  if (!progress) return 'done'
  if (own === wanted) await switchSpace(db, { brainId, space: own }, clock.now())
  return isWhole(progress) || turn.stopping.aborted ? 'done' : 'unfinished'
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
  const { clock, look } = deps
  const away = createAway(clock)
  return createBrainWork(deps, {
    name: 'embed passages',
    ...{ work: 'embed', maxTurns: 8, leaseSeconds: 120, topic: passagesTopics },
    behind: async (narrow) => {
      const spaces = away.isOver() ? await away.unlessAway(look) : undefined
      if (!spaces) return undefined
      const { own, wanted } = spaces
      return own === wanted ? brainsToEmbed(narrow, own) : brainsToKeep(narrow, own)
    },
    run: async (brainId, turn) =>
      (await away.unlessAway(async () => runTurn(deps, brainId, await look(), turn))) ?? 'done',
  })
}
