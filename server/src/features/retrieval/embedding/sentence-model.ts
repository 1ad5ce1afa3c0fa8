import { Tokenizer } from '@huggingface/tokenizers'
import type { InferenceSession } from 'onnxruntime-node'
import type { Runtime } from './onnx-runtime.ts'
import type { TextKind } from './types.ts'

// A model of sentences: a transformer that makes a vector of each token of a text, which pooling makes one vector.

/**
 * The way in which the vectors of tokens become the vector of their text: the mean of all, or the vector of the first
 * token.
 */
export type Pooling = 'mean' | 'cls'

/** The parts of a model, read from its files. */
export type ModelParts = {
  /** The space of its vectors, by their dimensions. */
  toSpace(dimensions: number): string
  weights: Uint8Array
  vocabulary: string
  settings: string
  pooling: Pooling
  maxTokens: number
  /** The prefix of each text, by its kind. */
  prefixes: Record<TextKind, string>
}

export type Model = {
  space: string
  dimensions: number
  /**
   * The vector of a text. Texts are not batched: weights of 8 bits use a scale that all texts of a batch share, so that a text's vector
   * would depend on the others, and long texts take twice as long with padding.
   */
  embed(text: string, kind: TextKind): Promise<Float32Array>
}

// A word of a vocabulary is a few characters long; text beyond this is beyond the tokens that are read, and would only take time to
// split.
const charactersPerToken = 24

const knownInputs = new Set(['input_ids', 'attention_mask', 'token_type_ids'])
/** The names of outputs of models: the vectors of tokens, and those of whole texts, which need no pooling. */
const knownOutputs = ['last_hidden_state', 'token_embeddings', 'sentence_embedding']

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

const findOutput = ({ inputNames, outputNames }: InferenceSession): string => {
  const unknown = inputNames.filter((name) => !knownInputs.has(name))
  if (unknown.length > 0)
    throw new Error(
      `The embedding model asks for the input ${unknown.join(', ')}: take the export of an encoder for sentences.`,
    )
  const output = knownOutputs.find((name) => outputNames.includes(name))
  if (output === undefined)
    throw new Error(
      `The embedding model answers ${outputNames.join(', ')}: one that answers ${knownOutputs.join(' or ')} is needed.`,
    )
  return output
}

/** Runs the model on a text, which returns the vectors of its tokens. */
const createRun = (runtime: Runtime, session: InferenceSession) => {
  const output = findOutput(session)
  return async (tokens: readonly number[]): Promise<{ hidden: Float32Array; dimensions: number }> => {
    const tensor = (data: BigInt64Array) => new runtime.Tensor('int64', data, [1, tokens.length])
    const inputs = {
      input_ids: tensor(BigInt64Array.from(tokens, BigInt)),
      attention_mask: tensor(new BigInt64Array(tokens.length).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(tokens.length)),
    }
    const asked = Object.entries(inputs).filter(([name]) => session.inputNames.includes(name))
    const { [output]: answer } = await session.run(Object.fromEntries(asked))
    const dimensions = answer?.dims.at(-1) ?? 0
    if (!(answer?.data instanceof Float32Array) || dimensions === 0)
      throw new Error('The embedding model returned no vectors of 32-bit numbers.')
    return { hidden: answer.data, dimensions }
  }
}

/** Opens a model. Throws where it is not one that makes vectors of sentences. */
export const openModel = async (runtime: Runtime, parts: ModelParts): Promise<Model> => {
  const { maxTokens, prefixes, pooling } = parts
  const tokenizer = new Tokenizer(JSON.parse(parts.vocabulary), JSON.parse(parts.settings))
  const session = await runtime.InferenceSession.create(parts.weights, {
    // Short texts are no faster on two threads; two at once are. The arena keeps the most memory ever used.
    intraOpNumThreads: 1,
    enableCpuMemArena: false,
  })
  const run = createRun(runtime, session)
  const makeVector = async (text: string, kind: TextKind): Promise<Float32Array> => {
    const { ids } = tokenizer.encode((prefixes[kind] + text).slice(0, maxTokens * charactersPerToken))
    const tokens = ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - 1), ids.at(-1) ?? 0]
    const { hidden, dimensions } = await run(tokens)
    return toUnit(poolings[pooling](hidden, dimensions))
  }
  const { length: dimensions } = await makeVector('a text', 'passage')
  return {
    space: parts.toSpace(dimensions),
    dimensions,
    embed: async (text, kind) => {
      const vector = await makeVector(text, kind)
      if (vector.length === dimensions) return vector
      throw new Error('The embedding model returned a vector of other dimensions than before.')
    },
  }
}
