import { z } from 'zod'

/** Vectors of length 1, and the space that they are in: those of different spaces cannot be compared. */
export type Embedded = { space: string; vectors: Float32Array[] }

/** What a text is: some models put other words before a query than before what it is to find. Queries go ahead of passages. */
export type TextKind = 'query' | 'passage'

/** Turns texts into vectors whose angles tell how near the texts are in meaning. */
export type Embedder = {
  /** The space of the vectors to come. Throws EmbedderUnavailable where it is not known yet and cannot be found out. */
  space(): Promise<string>
  /**
   * The vectors of texts, in their order. Throws EmbedderUnavailable or TextsRefused.
   */
  embed(texts: readonly string[], kind: TextKind): Promise<Embedded>
  /** Ends what runs; whoever waits is refused. */
  close(): Promise<void>
}

/** Nothing can be embedded at the moment. The message says why. */
export class EmbedderUnavailable extends Error {
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, retryAfterSeconds?: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** These texts are refused as they are; others may be embedded. */
export class TextsRefused extends Error {}

/** What embeds texts, as it is told to other nodes: a model of the service, one on the machine, or one of an endpoint. */
export const embedderSource = z.discriminatedUnion('is', [
  z.object({ is: z.literal('built-in') }),
  z.object({ is: z.literal('local'), model: z.string() }),
  z.object({ is: z.literal('endpoint'), model: z.string() }),
])
export type EmbedderSource = z.infer<typeof embedderSource>
