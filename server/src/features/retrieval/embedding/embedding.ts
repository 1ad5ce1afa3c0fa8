import type { Config } from '../../../config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { createChildEmbedder } from './child-embedder.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { createEndpointEmbedder } from './endpoint-embedder.ts'
import type { Embedder } from './types.ts'

export { type Calibration, knownCalibrations, measureCalibration, probes, toCloseness } from './calibration.ts'

/** The embedder that the settings ask for; undefined where they turn embedding off. */
export const createEmbedder = (by: Config['embeddings'], deps: { clock: Clock; log: Log }): Embedder | undefined => {
  if (by === 'off') return undefined
  return withCircuitBreaker(by === 'local' ? createChildEmbedder(deps) : createEndpointEmbedder(by), deps)
}
