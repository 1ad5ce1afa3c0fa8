import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEmbedder } from '../../server/src/features/retrieval/embedding/embedding.ts'
import { quantize } from '../../server/src/features/retrieval/vectors/vector-index.ts'
import { createLog } from '../../server/src/shared/log.ts'
import { type EmbeddedTexts, embeddedTexts, gatherPieces } from './embedded-texts.ts'

// Any number of passages from a few thousand real texts with vectors of the model: each is the first half of one text and
// the second half of another, and its vector is between theirs. So words and vectors are distributed like real ones; the
// model itself would need hours for a million passages.

const root = fileURLToPath(new URL('../../', import.meta.url))
const count = 3_000
const wordsInQuery = 5

export type RealPassages = {
  dimensions: number
  /** The text of the nth passage. */
  toText(place: number): string
  /** The vector of the nth passage, of 8 bits, as the service stores it. */
  toVector(place: number): Uint8Array
  /** Words of one text each, with their vectors. */
  queries: { text: string; vector: Float32Array }[]
  /** The space that the model's vectors are in. */
  space: string
}

/** The two texts that a passage is made of: each pair once until all pairs are used. */
const toPair = (place: number): [number, number] => {
  const first = place % count
  return [first, (first + 1 + Math.floor(place / count)) % count]
}

const mix = ({ vectors, dimensions }: EmbeddedTexts, [first, second]: [number, number]): Uint8Array => {
  const values = Float32Array.from({ length: dimensions }, (_, axis) => {
    return (vectors[first * dimensions + axis] ?? 0) + (vectors[second * dimensions + axis] ?? 0)
  })
  const length = Math.hypot(...values)
  return new Uint8Array(quantize(values.map((value) => value / length)).buffer)
}

const toQuery = (text: string): string =>
  (text.match(/\p{L}{4,}/gu) ?? [])
    .filter((_, at) => at % 3 === 0)
    .slice(0, wordsInQuery)
    .join(' ')

/** Embeds the texts at the first call, which takes a minute or some, and keeps their vectors in a file. */
export const createRealPassages = async (queryCount: number): Promise<RealPassages> => {
  const pieces = await gatherPieces(root, count)
  const embedded = await embeddedTexts(root, join(tmpdir(), `noema-bench-vectors-${count}`), count)
  const middle = (text: string) => Math.floor(text.length / 2)
  const embedder = createEmbedder('local', { clock: { now: () => new Date() }, log: createLog('warn') })
  if (!embedder) throw new Error('there is no model')
  const texts = pieces.map(toQuery).filter((text) => text.split(' ').length === wordsInQuery)
  const asked = texts.filter((_, at) => at % Math.floor(texts.length / queryCount) === 0).slice(0, queryCount)
  const { vectors } = await embedder.embed(asked, 'query')
  const space = await embedder.space()
  await embedder.close()
  return {
    ...{ dimensions: embedded.dimensions, space },
    toText: (place) => {
      const [first = '', second = ''] = toPair(place).map((at) => pieces[at] ?? '')
      return `${first.slice(0, middle(first))} ${second.slice(middle(second))}`.toWellFormed()
    },
    toVector: (place) => mix(embedded, toPair(place)),
    queries: asked.map((text, at) => ({ text, vector: vectors[at] ?? new Float32Array() })),
  }
}
