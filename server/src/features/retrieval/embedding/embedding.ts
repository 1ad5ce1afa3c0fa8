import type { Config } from '../../../config/config.ts'
import { BadSetting } from '../../../config/setting.ts'
import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import { withCircuitBreaker } from './circuit-breaker.ts'
import { createEndpointEmbedder } from './endpoint-embedder.ts'
import { findModelFolder } from './find-model.ts'
import { createChildEmbedder } from './model-process.ts'
import type { Embedder, EmbedderSource } from './types.ts'

type Deps = { clock: Clock; log: Log }

const openEmbedder = (by: Exclude<Config['embeddings'], 'off'>, { log }: Deps): Embedder => {
  if (by === 'local') return createChildEmbedder({ log })
  if ('url' in by) return createEndpointEmbedder(by)
  return createChildEmbedder({ log, chosenFolder: findModelFolder('NOEMA_EMBEDDING_MODEL', by.local) })
}

/**
 * The embedder of the settings; undefined if they turn embedding off. Throws BadSetting if they name a model that does not
 * exist.
 */
export const createEmbedder = (by: Config['embeddings'], deps: Deps): Embedder | undefined =>
  by === 'off' ? undefined : withCircuitBreaker(openEmbedder(by, deps), deps)

/** The embedder of the settings as other nodes see it: without addresses or keys. */
export const toSource = (by: Exclude<Config['embeddings'], 'off'>): EmbedderSource => {
  if (by === 'local') return { is: 'built-in' }
  return 'url' in by ? { is: 'endpoint', model: by.model } : { is: 'local', model: by.local }
}

/**
 * Opens the embedder that was used before the settings were changed; undefined where this node does not have it. A model of an
 * endpoint is only requested from the current endpoint: queries go to no server that the operator does not name.
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
