import { z } from 'zod'
import type { Config } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import { createCircuit } from '../../../shared/concurrency/circuit.ts'
import { createFairLimiter, runInSlot } from '../../../shared/concurrency/fair-limiter.ts'
import type { Log } from '../../../shared/log.ts'
import { askOperator, type OperatorAnswer } from '../../../shared/outbound/operator-endpoint.ts'

// A reranker reads the query and a passage together, so it judges better than search how well the passage answers, but it is too slow
// for more than some dozens of passages. It is an endpoint that the operator names.

/** Scores the relevance of texts to a query: one number each, in their order; a higher one is better. */
export type Reranker = {
  /** Throws RerankerUnavailable. `tenant` is who asks: each may have only some of the calls under way. */
  rerank(tenant: string, query: string, texts: readonly string[]): Promise<number[]>
  /** Ends its calls; requests that wait are refused. */
  close(): void
}

/** The reranker cannot be used at the moment. The message says why. */
export class RerankerUnavailable extends Error {}

/** The maximum of passages that are reranked: those that search puts first. */
export const maxReranked = 100

/** Calls at once, and those of one organization; the others wait, organizations in turn, for as long as an answer may take. */
const slots = { node: 8, organization: 4, key: 4 }
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

type Endpoint = Exclude<Config['rerank'], undefined>

const toBody = ({ model }: Endpoint, query: string, texts: readonly string[], form: 'documents' | 'texts'): string =>
  JSON.stringify({
    query,
    ...(form === 'documents'
      ? { model, documents: texts, top_n: texts.length, return_documents: false }
      : { texts, truncate: true }),
  })

/** The statuses of a server that does not understand a request. */
const misunderstood = new Set([400, 422])

class EndpointReranker implements Reranker {
  readonly #endpoint: Endpoint
  readonly #circuit: ReturnType<typeof createCircuit>
  readonly #limiter = createFairLimiter(slots)
  readonly #closed = new AbortController()
  /** The name of the texts in a request; the first answer shows it. */
  #form: 'documents' | 'texts' | undefined

  constructor(endpoint: Endpoint, { clock, log }: { clock: Clock; log: Log }) {
    this.#endpoint = endpoint
    this.#circuit = createCircuit({
      clock,
      onLost: ({ message }) => log.warn({ reason: message }, 'results cannot be reranked'),
      onBack: () => log.info('results are reranked again'),
    })
  }

  async rerank(tenant: string, query: string, texts: readonly string[]): Promise<number[]> {
    this.#checkCircuit()
    const timeout = AbortSignal.timeout(this.#endpoint.milliseconds)
    return runInSlot(this.#limiter, { organization: tenant, key: tenant }, async () => {
      // A turn that comes too late is not a failure of the endpoint, and a failure meanwhile counts for this call, too.
      if (timeout.aborted) throw new RerankerUnavailable('Too many results are being reranked.')
      this.#checkCircuit()
      try {
        const relevances = await this.#ask(query, texts, AbortSignal.any([timeout, this.#closed.signal]))
        this.#circuit.recordSuccess()
        return relevances
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!this.#closed.signal.aborted) this.#circuit.recordFailure(new Error(reason))
        throw new RerankerUnavailable(reason)
      }
    })
  }

  close(): void {
    this.#closed.abort()
  }

  #checkCircuit(): void {
    if (this.#circuit.secondsLeft() > 0) throw new RerankerUnavailable('Reranking failed a moment ago.')
  }

  async #ask(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
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

/** The reranker that the settings name; undefined where they name none. */
export const createReranker = (endpoint: Config['rerank'], deps: { clock: Clock; log: Log }): Reranker | undefined =>
  endpoint && new EndpointReranker(endpoint, deps)
