import type { Embedder } from '../embedding/types.ts'
import { cosine } from './stored-vectors.ts'
import { quantize } from './vector-index.ts'

// A model is known again by what it makes of a sentence: a name may be given to another one.

const sentence = 'The quick brown fox jumps over the lazy dog, and nobody knows why.'

/** One byte for each number, and different processors, move a vector by less; another model by far more. */
const minCosine = 0.99

const embedSentence = async (embedder: Embedder): Promise<Float32Array | undefined> =>
  (await embedder.embed([sentence], 'passage')).vectors[0]

/** What a model makes of the sentence, as it is stored. */
export const toProbe = async (embedder: Embedder): Promise<Buffer | undefined> => {
  const vector = await embedSentence(embedder)
  return vector && Buffer.from(quantize(vector).buffer)
}

/** Whether a model is the one that made a stored probe. */
export const isSameModel = async (embedder: Embedder, probe: Buffer): Promise<boolean> => {
  const vector = await embedSentence(embedder)
  const stored = new Int8Array(probe.buffer, probe.byteOffset, probe.length)
  return vector !== undefined && (cosine(vector, stored) ?? 0) >= minCosine
}
