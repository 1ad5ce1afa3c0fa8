import type { Clock } from '../../../shared/clock.ts'
import { createCircuit } from '../../../shared/concurrency/circuit.ts'
import type { Log } from '../../../shared/log.ts'
import { type Embedder, EmbedderUnavailable } from './types.ts'

/** An embedder that refuses at once for a while after it failed. The log says when it is lost and when it is back. */
export const withCircuitBreaker = (embedder: Embedder, { clock, log }: { clock: Clock; log: Log }): Embedder => {
  const circuit = createCircuit({
    clock,
    onLost: ({ message }) => log.warn({ reason: message }, 'texts cannot be embedded: search uses words only'),
    onBack: () => log.info('texts are embedded again'),
  })
  let isClosed = false
  const unlessOpen = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const left = circuit.failures > 0 ? circuit.secondsLeft() : 0
    if (left > 0) throw new EmbedderUnavailable('Embedding failed a moment ago.', left)
    try {
      const result = await run()
      if (circuit.failures > 0) circuit.recordSuccess()
      return result
    } catch (error) {
      if (error instanceof EmbedderUnavailable && !isClosed) circuit.recordFailure(error, error.retryAfterSeconds)
      throw error
    }
  }
  return {
    space: () => unlessOpen(() => embedder.space()),
    embed: (texts, kind) => unlessOpen(() => embedder.embed(texts, kind)),
    close: () => {
      isClosed = true
      return embedder.close()
    },
  }
}
