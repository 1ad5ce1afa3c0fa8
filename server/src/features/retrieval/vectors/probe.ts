import type { Embedder } from '../embedding/types.ts'
import { cosine } from './stored-vectors.ts'
import { quantize } from './vector-index.ts'

// Identifies a model by its vector of a sentence: the same name may be given to another model.

const sentence = 'The quick brown fox jumps over the lazy dog, and nobody knows why.'

/** Rounding to bytes and different processors change a vector by less; another model by far more. */
const minCosine = 0.99

const embedSentence = async (embedder: Embedder): Promise<Float32Array | undefined> =>
  (await embedder.embed([sentence], 'passage')).vectors[0]

/** A model's vector of the sentence, in its stored form. */
export const toProbe = async (embedder: Embedder): Promise<Buffer | undefined> => {
  const vector = await embedSentence(embedder)
  return vector && Buffer.from(quantize(vector).buffer)
}

/** Checks whether a model made a stored probe. */
export const isSameModel = async (embedder: Embedder, probe: Buffer): Promise<boolean> => {
  const vector = await embedSentence(embedder)
  const stored = new Int8Array(probe.buffer, probe.byteOffset, probe.length)
  return vector !== undefined && (cosine(vector, stored) ?? 0) >= minCosine
}
