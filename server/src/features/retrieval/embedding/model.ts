import type { TextKind } from './types.ts'

/** A text for a model; a reranking model reads it together with `query`. */
export type ModelInput = { text: string; kind: TextKind; query: string | undefined }

/** A model that turns a text into numbers: a vector, or its relevance to a query as the only number. */
export type Model = {
  /** Models with the same space return the same numbers. */
  space: string
  /** The count of numbers for each text. */
  dimensions: number
  run(input: ModelInput): Promise<Float32Array>
}
