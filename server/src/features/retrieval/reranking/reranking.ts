import type { Config } from '../../../config/config.ts'
import type { Clock } from '../../../shared/clock.ts'
import { createCircuit } from '../../../shared/concurrency/circuit.ts'
import { createFairLimiter, runInSlot, type ShareLimits } from '../../../shared/concurrency/fair-limiter.ts'
import type { Log } from '../../../shared/log.ts'
import { findModelFolder } from '../embedding/find-model.ts'
import { LocalScorer } from './local-scorer.ts'
import { EndpointScorer } from './rerank-endpoint.ts'

// A reranker reads the query and a passage together, so it judges better than search how well the passage answers, but it is too slow
// for more than some dozens of passages. It is a model on this machine or an endpoint, which the operator names.

/** Scores the relevance of texts to a query: one number each, in their order; a higher one is better. */
export type Reranker = {
  /** The passages that it is given at present where a request asks for fewer results. */
  readonly usualTexts: number
  /** Throws RerankerUnavailable. `tenant` is who asks: each may have only some of the calls under way. */
  rerank(tenant: string, query: string, texts: readonly string[]): Promise<number[]>
  /** Ends its calls; requests that wait are refused. */
  close(): Promise<void>
}

/** A model on this machine or an endpoint, without limits. */
export type Scorer = Pick<Reranker, 'usualTexts' | 'close'> & {
  /** Calls at once, and those of one organization; the others wait, organizations in turn, for as long as an answer may take. */
  slots: ShareLimits
  /** Throws any error where it has no scores. */
  score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>
}

/** The reranker cannot be used at the moment. The message says why. */
export class RerankerUnavailable extends Error {}

/** The maximum of passages that are reranked: those that search puts first. */
export const maxReranked = 100

class LimitedReranker implements Reranker {
  readonly #scorer: Scorer
  readonly #milliseconds: number
  readonly #circuit: ReturnType<typeof createCircuit>
  readonly #limiter: ReturnType<typeof createFairLimiter>
  readonly #closed = new AbortController()

  constructor(scorer: Scorer, milliseconds: number, { clock, log }: { clock: Clock; log: Log }) {
    this.#scorer = scorer
    this.#milliseconds = milliseconds
    this.#limiter = createFairLimiter(scorer.slots)
    this.#circuit = createCircuit({
      clock,
      onLost: ({ message }) => log.warn({ reason: message }, 'results cannot be reranked'),
      onBack: () => log.info('results are reranked again'),
    })
  }

  get usualTexts(): number {
    return this.#scorer.usualTexts
  }

  async rerank(tenant: string, query: string, texts: readonly string[]): Promise<number[]> {
    this.#checkCircuit()
    const timeout = AbortSignal.timeout(this.#milliseconds)
    return runInSlot(this.#limiter, { organization: tenant, key: tenant }, async () => {
      // A turn that comes too late is not a failure of the reranker, and a failure meanwhile counts for this call, too.
      if (timeout.aborted) throw new RerankerUnavailable('Too many results are being reranked.')
      this.#checkCircuit()
      try {
        const relevances = await this.#scorer.score(query, texts, AbortSignal.any([timeout, this.#closed.signal]))
        this.#circuit.recordSuccess()
        return relevances
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error)
        if (!this.#closed.signal.aborted) this.#circuit.recordFailure(new Error(reason))
        throw new RerankerUnavailable(reason)
      }
    })
  }

  close(): Promise<void> {
    this.#closed.abort()
    return this.#scorer.close()
  }

  #checkCircuit(): void {
    if (this.#circuit.secondsLeft() > 0) throw new RerankerUnavailable('Reranking failed a moment ago.')
  }
}

type Settings = Exclude<Config['rerank'], undefined>

const openScorer = (by: Settings, log: Log): Scorer =>
  'url' in by
    ? new EndpointScorer(by)
    : new LocalScorer({ log, chosenFolder: findModelFolder('NOEMA_RERANK_MODEL', by.local) })

/** The reranker that the settings name; undefined where they name none. Throws BadSetting if they name a model that does not exist. */
export const createReranker = (by: Config['rerank'], deps: { clock: Clock; log: Log }): Reranker | undefined =>
  by && new LimitedReranker(openScorer(by, deps.log), by.milliseconds, deps)
