import { z } from 'zod'
import { askOperator } from '../../../shared/outbound/operator-endpoint.ts'
import { type Embedded, type Embedder, EmbedderUnavailable, type TextKind, TextsRefused } from './types.ts'

export type Endpoint = { url: string; model: string; apiKey: string | undefined }

// A query waits only briefly; passages are embedded in the background, by models that may be slow.
const usualMilliseconds = { query: 3_000, passage: 60_000 }
const textsPerRequest = 64
const maxAnswerBytes = 64 * 1024 * 1024

// The statuses by which a server refuses the texts rather than the key, or reports its own state.
const refusals = new Set([400, 413, 422])

const answerSchema = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1) })),
})

const parseRetryAfter = (retryAfter: string | null): number | undefined =>
  retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined

const unit = (values: readonly number[]): Float32Array => {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(length) || length === 0) throw new Error('a vector has no direction')
  return Float32Array.from(values, (value) => value / length)
}

const parseVectors = (body: string, count: number): Float32Array[] => {
  const { data } = answerSchema.parse(JSON.parse(body))
  const inOrder = data.sort((one, other) => one.index - other.index)
  if (inOrder.length !== count || inOrder.some(({ index }, place) => index !== place))
    throw new Error('the number of vectors is not that of the texts')
  return inOrder.map(({ embedding }) => unit(embedding))
}

/** Embeds by an endpoint like OpenAI's: `POST {url}/embeddings`, which many local servers have, too. */
class EndpointEmbedder implements Embedder {
  readonly #endpoint: Endpoint
  readonly #milliseconds: typeof usualMilliseconds
  readonly #closed = new AbortController()
  /** The dimensions of the endpoint's vectors; 0 while unknown. */
  #dimensions = 0

  constructor(endpoint: Endpoint, milliseconds: typeof usualMilliseconds) {
    this.#endpoint = endpoint
    this.#milliseconds = milliseconds
  }

  get #space(): string {
    return `${this.#endpoint.model}/${this.#dimensions}`
  }

  /** The model and the dimensions that it answers in: under one name there may be several. */
  async space(): Promise<string> {
    if (this.#dimensions === 0)
      await this.#ask(['dimensions'], 'query').catch((error: Error) => {
        // A sentence that this server refuses means that it refuses every text: its model or its path is another.
        throw error instanceof TextsRefused ? new EmbedderUnavailable(error.message) : error
      })
    return this.#space
  }

  async embed(texts: readonly string[], kind: TextKind): Promise<Embedded> {
    const vectors: Float32Array[] = []
    for (let from = 0; from < texts.length; from += textsPerRequest)
      vectors.push(...(await this.#ask(texts.slice(from, from + textsPerRequest), kind)))
    return { space: this.#space, vectors }
  }

  async close(): Promise<void> {
    this.#closed.abort()
  }

  async #ask(texts: readonly string[], kind: TextKind): Promise<Float32Array[]> {
    try {
      const vectors = parseVectors(await this.#post(texts, kind), texts.length)
      this.#checkDimensions(vectors)
      return vectors
    } catch (error) {
      if (error instanceof TextsRefused || error instanceof EmbedderUnavailable) throw error
      throw new EmbedderUnavailable(
        `The embeddings endpoint sent an unexpected response: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  async #post(texts: readonly string[], kind: TextKind): Promise<string> {
    const { url, model, apiKey } = this.#endpoint
    const { status, retryAfter, body } = await askOperator({
      url: `${url}/embeddings`,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
      signal: AbortSignal.any([this.#closed.signal, AbortSignal.timeout(this.#milliseconds[kind])]),
      maxBytes: maxAnswerBytes,
    })
    if (status >= 200 && status < 300) return body
    const reason = `The embeddings endpoint responded with ${status}: ${body.slice(0, 200)}`
    if (refusals.has(status)) throw new TextsRefused(reason)
    throw new EmbedderUnavailable(reason, parseRetryAfter(retryAfter))
  }

  #checkDimensions(vectors: readonly Float32Array[]): void {
    const dimensions = vectors[0]?.length ?? 0
    const isAnother = this.#dimensions !== 0 && dimensions !== this.#dimensions
    this.#dimensions = dimensions
    if (isAnother || vectors.some((vector) => vector.length !== dimensions))
      throw new EmbedderUnavailable('The vectors of the embeddings endpoint have other dimensions than before.')
  }
}

/** The embedder of an endpoint. It sends nothing yet. */
export const createEndpointEmbedder = (endpoint: Endpoint, milliseconds = usualMilliseconds): Embedder =>
  new EndpointEmbedder(endpoint, milliseconds)
