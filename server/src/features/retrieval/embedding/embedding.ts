import type { Config } from '../../../config/config.ts'
import { BadSetting } from '../../../config/setting.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { createChildEmbedder } from './child-embedder.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { createEndpointEmbedder } from './endpoint-embedder.ts'
import { findModelFolder } from './find-model.ts'
import type { Embedder, EmbedderSource } from './types.ts'

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

/** What the settings embed texts by, as others are told: neither addresses nor keys. */
export const toSource = (by: Exclude<Config['embeddings'], 'off'>): EmbedderSource => {
  if (by === 'local') return { is: 'built-in' }
  return 'url' in by ? { is: 'endpoint', model: by.model } : { is: 'local', model: by.local }
}

/**
 * Opens what embedded texts before the settings were changed; undefined where it is not here any more. A model of an endpoint is
 * asked only where the endpoint that is set now has it: queries go to nobody whom the operator does not name.
 */
export const openFormer = (by: Config['embeddings'], source: EmbedderSource, deps: Deps): Embedder | undefined => {
  if (source.is === 'endpoint')
    return typeof by === 'object' && 'url' in by ? createEmbedder({ ...by, model: source.model }, deps) : undefined
  try {
    return createEmbedder(source.is === 'built-in' ? 'local' : { local: source.model }, deps)
  } catch (error) {
    if (error instanceof BadSetting) return undefined
    throw error
  }
}
