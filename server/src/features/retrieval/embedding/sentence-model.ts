import { type EncoderParts, openEncoder } from './encoder.ts'
import type { Model } from './model.ts'
import type { Runtime } from './onnx-runtime.ts'
import type { TextKind } from './types.ts'

// A model of sentences: a transformer that makes a vector of each token of a text, which pooling makes one vector.

/**
 * The way in which the vectors of tokens become the vector of their text: the mean of all, or the vector of the first
 * token.
 */
export type Pooling = 'mean' | 'cls'

/** The parts of a model, read from its files. */
export type ModelParts = EncoderParts & {
  /** The space of its vectors, by their dimensions. */
  toSpace(dimensions: number): string
  pooling: Pooling
  /** The prefix of each text, by its kind. */
  prefixes: Record<TextKind, string>
}

/** The outputs of models: the vectors of tokens, and those of whole texts, which need no pooling. */
const purpose = {
  name: 'embedding',
  advice: 'take the export of an encoder for sentences',
  outputs: ['last_hidden_state', 'token_embeddings', 'sentence_embedding'],
}

const poolings: Record<Pooling, (hidden: Float32Array, dimensions: number) => Float32Array> = {
  cls: (hidden, dimensions) => hidden.slice(0, dimensions),
  mean: (hidden, dimensions) => {
    const vector = new Float32Array(dimensions)
    for (let place = 0; place < hidden.length; place++) {
      const axis = place % dimensions
      vector[axis] = (vector[axis] ?? 0) + (hidden[place] ?? 0)
    }
    return vector
  },
}

/** A vector at length 1. */
const toUnit = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1
  if (!Number.isFinite(length)) throw new Error('The embedding model returned a vector that is no direction.')
  return vector.map((value) => value / length)
}

/** Opens a model. Throws where it is not one that makes vectors of sentences. */
export const openSentenceModel = async (runtime: Runtime, parts: ModelParts): Promise<Model> => {
  const { prefixes, pooling } = parts
  const encode = await openEncoder(runtime, parts, purpose)
  const makeVector = async (text: string, kind: TextKind): Promise<Float32Array> => {
    const { data, dims } = await encode(prefixes[kind] + text)
    const dimensions = dims.at(-1) ?? 0
    if (dimensions === 0) throw new Error('The embedding model returned no vectors.')
    return toUnit(poolings[pooling](data, dimensions))
  }
  const { length: dimensions } = await makeVector('a text', 'passage')
  return {
    space: parts.toSpace(dimensions),
    dimensions,
    run: async ({ text, kind }) => {
      const vector = await makeVector(text, kind)
      if (vector.length === dimensions) return vector
      throw new Error('The embedding model returned a vector of other dimensions than before.')
    },
  }
}
