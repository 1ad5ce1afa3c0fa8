import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type BrainTurn, type BrainTurnEnd, createBrainWork } from '../../kernel/leases/leases.ts'
import { type Embedder, EmbedderUnavailable, TextsRefused } from '../embedding/types.ts'
import { passagesTopics } from '../lexical-index/indexer.ts'
import { livePassagesAfter, passageTexts } from '../lexical-index/lexical-index.ts'
import type { Spaces } from './claim-spaces.ts'
import type { EmbeddingPace } from './embedding-pace.ts'
import type { FormerEmbedders } from './former-embedders.ts'
import { type BrainSpace, insertVectors, openProgress, type Progress } from './queries.ts'
import { brainsToEmbed, brainsToKeep, selectAnswering, switchSpace } from './space-queries.ts'
import { quantize } from './vector-index.ts'

// Gives passages their vectors. A node leases a Brain, reads and embeds some of its passages outside a transaction, and stores the
// vectors in one statement that holds only if the Brain's progress did not change: so two nodes never store one passage twice, and
// the lease of a node that dies expires. Passages that ended before their turn get no vector. A Brain whose vectors are of another
// model is embedded again in the same way. Meanwhile new passages also get a vector of the model that still answers, so that search
// finds them by meaning. When the last passage has its vector, the Brain answers by the new ones.

export type EmbeddingDeps = {
  db: Db
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  formers: FormerEmbedders
  pace: EmbeddingPace
  pollSpaces(): Promise<Spaces>
}

/** The embedder of passages, and its space. `pace` measures how fast it is. */
type By = { db: Db; log: Log; embedder: Embedder; space: string; pace?: EmbeddingPace }

/** Passages of one turn: a Brain with more continues after others had their turn. */
const passagesAtOnce = 64
/** The time after which an unavailable embedder is tried again. */
const awayMilliseconds = 10_000

/** Splits texts that were refused together, to find those that are always refused; they are left out. */
const embedByHalves = async (by: By, texts: [number, string][], refusal: Error) => {
  if (texts.length > 1) {
    const half = texts.length >> 1
    const first = await embedTexts(by, texts.slice(0, half))
    return [...first, ...(await embedTexts(by, texts.slice(half)))]
  }
  // An embedder that refuses this sentence as well refuses everything: it counts as unavailable.
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
    return embedded.vectors.map((vector, index) => [texts[index]?.[0] ?? 0, quantize(vector)])
  } catch (error) {
    if (error instanceof TextsRefused) return embedByHalves(by, texts, error)
    throw error
  }
}

/** Embeds the next passages of a Brain. Undefined where another node did so meanwhile, or the Brain was deleted. */
const embedNext = async (
  by: By,
  key: BrainSpace,
  { passage, lastPassage }: Progress,
): Promise<Progress | undefined> => {
  const live = await livePassagesAfter(by.db, key.brainId, passage, passagesAtOnce)
  const texts = [...(await passageTexts(by.db, key.brainId, live))]
  const vectors = await embedTexts(by, texts)
  const to = live.length < passagesAtOnce ? lastPassage : (live.at(-1) ?? lastPassage)
  return insertVectors(by.db, { ...key, from: passage, to }, new Map(vectors))
}

/**
 * Embeds one turn's passages of a Brain, and returns its progress; undefined if another node did so, or the Brain was
 * deleted.
 */
const embedBrain = async (by: By, brainId: number, { stopping }: BrainTurn): Promise<Progress | undefined> => {
  const key = { brainId, space: by.space }
  const found = await openProgress(by.db, brainId, by.space)
  if (!found || found.passage >= found.lastPassage || stopping.aborted) return found
  const embed = () => embedNext(by, key, found)
  return by.pace ? by.pace.measure(brainId, embed, (made) => (made ? made.passage - found.passage : 0)) : embed()
}

const isWhole = ({ passage, lastPassage }: Progress): boolean => passage >= lastPassage

/** Gives new passages a vector of the model by which a Brain still answers, if this node has it. */
const keepFormer = async (deps: EmbeddingDeps, brainId: number, { own }: Spaces, turn: BrainTurn): Promise<void> => {
  const [found] = await deps.prepared(selectAnswering({ brainId }))
  const space = found?.answering
  if (!space || space === own) return
  const embedder = await deps.formers.find(space)
  if (!embedder) return
  try {
    await embedBrain({ db: deps.db, log: deps.log, embedder, space }, brainId, turn)
  } catch (error) {
    // An unavailable model delays nothing: words find its passages until they have vectors of the new model.
    if (!(error instanceof EmbedderUnavailable)) throw error
  }
}

const runTurn = async (
  deps: EmbeddingDeps,
  brainId: number,
  spaces: Spaces,
  turn: BrainTurn,
): Promise<BrainTurnEnd> => {
  const { db, log, clock, embedder, pace } = deps
  const { own, target } = spaces
  if (own === target) await keepFormer(deps, brainId, spaces, turn)
  const progress = await embedBrain({ db, log, embedder, space: own, pace }, brainId, turn)
  if (!progress) return 'done'
  if (own === target) await switchSpace(db, { brainId, space: own }, clock.now())
  return isWhole(progress) || turn.stopping.aborted ? 'done' : 'unfinished'
}

/** Checks whether the embedder is available: an unavailable one was logged, and is not tried for a while. */
const createAvailability = (clock: Clock) => {
  let until = 0
  return {
    isAvailable: () => clock.now().getTime() >= until,
    /** Runs a task with the embedder; undefined while that is unavailable. */
    ifAvailable: async <Result>(task: () => Promise<Result>): Promise<Result | undefined> => {
      try {
        return await task()
      } catch (error) {
        if (!(error instanceof EmbedderUnavailable)) throw error
        until = clock.now().getTime() + awayMilliseconds
        return undefined
      }
    },
  }
}

/** Embeds passages: those of Brains whose index advanced, and all that wait. */
export const createEmbedding = (deps: EmbeddingDeps) => {
  const { clock, pollSpaces } = deps
  const embedder = createAvailability(clock)
  return createBrainWork(deps, {
    name: 'embed passages',
    ...{ work: 'embed', maxTurns: 8, leaseSeconds: 120, topic: passagesTopics },
    behind: async (narrow) => {
      const spaces = embedder.isAvailable() ? await embedder.ifAvailable(pollSpaces) : undefined
      if (!spaces) return undefined
      const { own, target } = spaces
      return own === target ? brainsToEmbed(narrow, own) : brainsToKeep(narrow, own)
    },
    run: async (brainId, turn) =>
      (await embedder.ifAvailable(async () => runTurn(deps, brainId, await pollSpaces(), turn))) ?? 'done',
  })
}
