import type { Clock } from '../../../shared/clock.ts'
import { createCircuit } from '../../../shared/concurrency/circuit.ts'
import type { Log } from '../../../shared/log.ts'
import { type Embedder, EmbedderUnavailable } from './types.ts'

/**
 * An embedder that is left alone for a while after it failed: meanwhile it refuses at once. Tells the log when it goes and when
 * it is back.
 */
export const withCircuitBreaker = (embedder: Embedder, { clock, log }: { clock: Clock; log: Log }): Embedder => {
  const circuit = createCircuit({
    clock,
    onLost: ({ message }) => log.warn({ reason: message }, 'texts cannot be embedded: search uses words only'),
    onBack: () => log.info('texts are embedded again'),
  })
  let isClosed = false
  const unlessOpen = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const left = circuit.secondsLeft()
    if (left > 0) throw new EmbedderUnavailable('Embedding failed a moment ago.', left)
    try {
      const result = await run()
      circuit.noteSuccess()
      return result
    } catch (error) {
      if (error instanceof EmbedderUnavailable && !isClosed) circuit.noteFailure(error, error.retryAfterSeconds)
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
