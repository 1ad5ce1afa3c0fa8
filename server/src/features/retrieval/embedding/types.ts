import { z } from 'zod'

/** Vectors of length 1, and their space: those of different spaces cannot be compared. */
export type Embedded = { space: string; vectors: Float32Array[] }

/** The kind of a text: some models have other prefixes for queries than for passages. Queries go before passages. */
export type TextKind = 'query' | 'passage'

/** Turns texts into vectors whose angles say how near the texts are in meaning. */
export type Embedder = {
  /** The space of its vectors. Throws EmbedderUnavailable while it is unknown. */
  space(): Promise<string>
  /**
   * The vectors of texts, in their order. Throws EmbedderUnavailable or TextsRefused.
   */
  embed(texts: readonly string[], kind: TextKind): Promise<Embedded>
  /** Ends its work; requests that wait are refused. */
  close(): Promise<void>
}

/** The embedder cannot be used at the moment. The message says why. */
export class EmbedderUnavailable extends Error {
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, retryAfterSeconds?: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The embedder refuses these texts; it may accept others. */
export class TextsRefused extends Error {}

/** The description of an embedder for other nodes: the built-in model, one on the machine, or one of an endpoint. */
export const embedderSource = z.discriminatedUnion('is', [
  z.object({ is: z.literal('built-in') }),
  z.object({ is: z.literal('local'), model: z.string() }),
  z.object({ is: z.literal('endpoint'), model: z.string() }),
])
export type EmbedderSource = z.infer<typeof embedderSource>
