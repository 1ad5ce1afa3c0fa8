import { z } from 'zod'
import { askOperator, type OperatorAnswer } from '../../../shared/outbound/operator-endpoint.ts'
import type { Scorer } from './reranking.ts'

// A reranker at an address that the operator names.

const maxAnswerBytes = 1024 * 1024

/** The answer of the endpoints of Cohere, Jina, vLLM, Infinity and others. */
const ranking = z.object({
  results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })),
})
/** The answer of Text Embeddings Inference. */
const scores = z.array(z.object({ index: z.int().min(0), score: z.number() }))

const parseScores = (body: string, count: number): number[] => {
  const parsed = z.union([ranking, scores]).parse(JSON.parse(body))
  const scored = Array.isArray(parsed)
    ? parsed.map(({ index, score }) => [index, score] as const)
    : parsed.results.map(({ index, relevance_score: score }) => [index, score] as const)
  const byIndex = new Map(scored)
  if (scored.length !== count || byIndex.size !== count || Math.max(...byIndex.keys()) >= count)
    throw new Error('the scores are not one for each text')
  return Array.from({ length: count }, (_, index) => byIndex.get(index) ?? 0)
}

export type RerankEndpoint = { url: string; model: string | undefined; apiKey: string | undefined }

const toBody = (
  { model }: RerankEndpoint,
  query: string,
  texts: readonly string[],
  form: 'documents' | 'texts',
): string =>
  JSON.stringify({
    query,
    ...(form === 'documents'
      ? { model, documents: texts, top_n: texts.length, return_documents: false }
      : { texts, truncate: true }),
  })

/** The statuses of a server that does not understand a request. */
const misunderstood = new Set([400, 422])

/** Scores texts by an endpoint. */
export class EndpointScorer implements Scorer {
  readonly usualTexts = 100
  readonly slots = { node: 8, organization: 4, key: 4 }
  readonly #endpoint: RerankEndpoint
  /** The name of the texts in a request; the first answer shows it. */
  #form: 'documents' | 'texts' | undefined

  constructor(endpoint: RerankEndpoint) {
    this.#endpoint = endpoint
  }

  async score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    let answer = await this.#post(query, texts, this.#form ?? 'documents', signal)
    if (this.#form === undefined && misunderstood.has(answer.status)) {
      this.#form = 'texts'
      answer = await this.#post(query, texts, 'texts', signal)
    }
    const { status, body } = answer
    if (status < 200 || status > 299) {
      this.#form = undefined
      throw new Error(`The rerank endpoint responded with ${status}: ${body.slice(0, 200)}`)
    }
    this.#form ??= 'documents'
    return parseScores(body, texts.length)
  }

  async close(): Promise<void> {}

  #post(
    query: string,
    texts: readonly string[],
    form: 'documents' | 'texts',
    signal: AbortSignal,
  ): Promise<OperatorAnswer> {
    const { url, apiKey } = this.#endpoint
    return askOperator({
      url: `${url}/rerank`,
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      body: toBody(this.#endpoint, query, texts, form),
      signal,
      maxBytes: maxAnswerBytes,
    })
  }
}
