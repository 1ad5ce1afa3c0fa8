import { type Embedder, EmbedderUnavailable, TextsRefused } from '../../embedding/embedder.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Db } from '../../storage/database.ts'
import type { Wakes } from '../events/wakes.ts'
import { livePassages, passageTexts } from '../passages/passages.ts'
import { insertVectors, leaseProgress, noteSpace, type Progress, releaseProgress, selectBehind } from './queries.ts'
import { quantize } from './vector-index.ts'

// Gives passages their vectors. A Brain is leased, some of its passages are read and embedded with nothing held, and one
// statement stores the vectors where the Brain is still where it was found: so two nodes never store one passage twice, and
// a node that dies leaves its lease to run out. Passages that ended before their turn get none.

export type EmbeddingDeps = { db: Db; clock: Clock; log: Log; wakes: Wakes; embedder: Embedder }

const leaseMilliseconds = 60_000
const passagesAtOnce = 256
/** How often a Brain goes on before others have their turn. */
const stepsOfATurn = 8

/** The vectors of passages by number, without those whose text the embedder refuses for ever. */
const embedPassages = async (
  deps: EmbeddingDeps,
  brainId: number,
  texts: ReadonlyMap<number, string>,
): Promise<Map<number, Int8Array>> => {
  const passages = [...texts.keys()]
  try {
    const vectors = texts.size === 0 ? [] : await deps.embedder.embed([...texts.values()], 'later')
    return new Map(vectors.map((vector, place) => [passages[place] ?? 0, quantize(vector)]))
  } catch (error) {
    if (!(error instanceof TextsRefused)) throw error
    if (passages.length > 1) {
      const half = passages.length >> 1
      const parts = [passages.slice(0, half), passages.slice(half)]
      const found: [number, Int8Array][] = []
      for (const part of parts) {
        const some = new Map(part.map((passage) => [passage, texts.get(passage) ?? '']))
        found.push(...(await embedPassages(deps, brainId, some)))
      }
      return new Map(found)
    }
    // One text was refused: it is passed over, unless everything is refused.
    await deps.embedder.embed(['A plain sentence.'], 'later').catch((cause: Error) => {
      throw new EmbedderUnavailable(cause.message)
    })
    deps.log.warn({ brainId, passage: passages[0], reason: error.message }, 'a passage is left without a vector')
    return new Map()
  }
}

/** Embeds the next passages of a leased Brain. Undefined where another node took over, or the Brain is gone. */
const step = async (
  deps: EmbeddingDeps,
  at: { brainId: number; space: string; until: Date },
  { passage, lastPassage }: Progress,
): Promise<Progress | undefined> => {
  const live = await livePassages(deps.db, at.brainId, passage, passagesAtOnce)
  const vectors = await embedPassages(deps, at.brainId, await passageTexts(deps.db, at.brainId, live))
  const to = live.length < passagesAtOnce ? lastPassage : (live.at(-1) ?? lastPassage)
  return insertVectors(deps.db, { ...at, from: passage, to }, vectors)
}
