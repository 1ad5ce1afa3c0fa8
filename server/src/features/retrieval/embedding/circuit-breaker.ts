import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { type Embedder, EmbedderUnavailable } from './types.ts'

const maxSeconds = 60

/**
 * An embedder that is left alone for a while after it failed, longer each time, so that nobody waits for one that is away:
 * meanwhile it refuses at once. Tells the log when it goes and when it is back.
 */
export const withCircuitBreaker = (embedder: Embedder, deps: { clock: Clock; log: Log }): Embedder => {
  let failures = 0
  let opensUntil = 0
  let isClosed = false
  const noteFailure = (error: EmbedderUnavailable): void => {
    if (isClosed) return
    const seconds = error.retryAfterSeconds ?? Math.min(maxSeconds, 2 ** failures)
    if (failures === 0) deps.log.warn({ reason: error.message }, 'texts cannot be embedded: search uses words only')
    failures++
    opensUntil = deps.clock.now().getTime() + Math.min(seconds, maxSeconds) * 1000
  }
  const unlessOpen = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const left = opensUntil - deps.clock.now().getTime()
    if (left > 0) throw new EmbedderUnavailable('Embedding failed a moment ago.', Math.ceil(left / 1000))
    try {
      const result = await run()
      if (failures > 0) deps.log.info('texts are embedded again')
      failures = 0
      return result
    } catch (error) {
      if (error instanceof EmbedderUnavailable) noteFailure(error)
      throw error
    }
  }
  return {
    space: () => unlessOpen(() => embedder.space()),
    embed: (texts, when) => unlessOpen(() => embedder.embed(texts, when)),
    close: () => {
      isClosed = true
      return embedder.close()
    },
  }
}
