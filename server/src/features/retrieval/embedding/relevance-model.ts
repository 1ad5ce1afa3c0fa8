import { type EncoderParts, openEncoder } from './encoder.ts'
import type { Model } from './model.ts'
import type { Runtime } from './onnx-runtime.ts'

// A cross-encoder: a transformer that reads a query and a passage together, and returns one logit, the relevance of the passage.

export type RelevanceParts = EncoderParts & { space: string }

const purpose = {
  name: 'reranking',
  advice: 'take the export of a cross-encoder',
  outputs: ['logits'],
}

/** A longer query would leave no room for the passage. */
const maxQueryCharacters = 512

const toProbability = (logit: number): number => 1 / (1 + Math.exp(-logit))

/** Opens a model whose only number is the relevance of a text to the query, from 0 to 1. Throws where it has not one logit. */
export const openRelevanceModel = async (runtime: Runtime, parts: RelevanceParts): Promise<Model> => {
  const encode = await openEncoder(runtime, parts, purpose)
  const score = async (query: string, text: string): Promise<Float32Array> => {
    const { data } = await encode(query.slice(0, maxQueryCharacters), text)
    const [logit = Number.NaN] = data
    if (data.length !== 1)
      throw new Error(
        `The reranking model returned ${data.length} numbers for a passage: one with a single logit is needed.`,
      )
    if (!Number.isFinite(logit)) throw new Error('The reranking model returned no number for a passage.')
    return Float32Array.of(toProbability(logit))
  }
  await score('a query', 'a passage')
  return { space: parts.space, dimensions: 1, run: ({ query = '', text }) => score(query, text) }
}
