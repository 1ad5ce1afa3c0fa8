import type { AppDeps } from '../../server/src/api/app-deps.ts'
import { createPassageIndexer } from '../../server/src/features/retrieval/lexical-index/indexer.ts'
import { createTurns } from '../../server/src/workers/turns.ts'

/** Indexes all that is there, and answers how many seconds that took. */
export const timeIndexing = async (deps: AppDeps): Promise<number> => {
  const indexer = createPassageIndexer(deps)
  const startedAt = performance.now()
  const turns = createTurns(deps, indexer.work)
  await turns.pass?.()
  const seconds = (performance.now() - startedAt) / 1000
  await turns.stop()
  await indexer.close()
  return seconds
}
