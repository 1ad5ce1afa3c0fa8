import { ModelProcess, type ModelProcessOptions } from '../embedding/model-process.ts'
import { createFittingTexts } from './fitting-texts.ts'
import type { Scorer } from './reranking.ts'

const toRejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** Scores texts by a model on this machine, in a process of the model. It starts nothing yet. */
export class LocalScorer implements Scorer {
  /** Two free cores read about 20 passages of 90 words in 150 ms. */
  readonly #fitting = createFittingTexts(20)
  /** The process has two threads. A second request makes both later, so it waits, and organizations take turns. */
  readonly slots = { node: 1, organization: 1, key: 1 }
  readonly #process: ModelProcess

  constructor(options: ModelProcessOptions) {
    this.#process = new ModelProcess('rerank', options)
  }

  get usualTexts(): number {
    return this.#fitting.count()
  }

  async score(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]> {
    // The first search also loads the model.
    const startedAt = this.#process.loaded && performance.now()
    const record = () => startedAt !== undefined && this.#fitting.record(texts.length, performance.now() - startedAt)
    signal.addEventListener('abort', record, { once: true })
    const answers = await Promise.race([
      this.#process.run(texts, { kind: 'passage', query, signal }),
      toRejection(signal),
    ])
    signal.removeEventListener('abort', record)
    record()
    return answers.flatMap(({ rows }) => rows.map(([relevance = 0]) => relevance))
  }

  close(): Promise<void> {
    return this.#process.close()
  }
}
