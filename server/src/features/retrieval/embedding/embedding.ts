import type { Config } from '../../../config.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { createChildEmbedder } from './child-embedder.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { createEndpointEmbedder } from './endpoint-embedder.ts'
import { findModelFolder } from './find-model.ts'
import type { Embedder } from './types.ts'

export { type Calibration, knownCalibrations, measureCalibration, probes, toCloseness } from './calibration.ts'

type Deps = { clock: Clock; log: Log }

const openEmbedder = (by: Exclude<Config['embeddings'], 'off'>, { log }: Deps): Embedder => {
  if (by === 'local') return createChildEmbedder({ log })
  if ('url' in by) return createEndpointEmbedder(by)
  return createChildEmbedder({ log, chosenFolder: findModelFolder(by.local) })
}

/**
 * The embedder that the settings ask for; undefined where they turn embedding off. Throws BadSetting where they name a model that
 * is not there.
 */
export const createEmbedder = (by: Config['embeddings'], deps: Deps): Embedder | undefined =>
  by === 'off' ? undefined : withCircuitBreaker(openEmbedder(by, deps), deps)
