/** Turns texts into vectors whose angles tell how near the texts are in meaning. */
export type Embedder = {
  /**
   * Names the space of its vectors: those of different spaces cannot be compared. Throws EmbedderUnavailable where it is not
   * known yet and cannot be found out.
   */
  space(): Promise<string>
  /**
   * The vectors of texts, in their order and of length 1. Texts wanted now go ahead of those that can wait.
   * Throws EmbedderUnavailable or TextsRefused.
   */
  embed(texts: readonly string[], when: 'now' | 'later'): Promise<Float32Array[]>
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
