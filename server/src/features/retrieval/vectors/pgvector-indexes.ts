import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { DatabaseAddress } from '../../../storage/database-address.ts'
import { type LongSession, openLongSession } from '../../../storage/long-session.ts'
import type { Embedder } from '../embedding/types.ts'
import type { Pgvector } from './pgvector.ts'
import {
  buildIndex,
  createVectorFunction,
  dropIndex,
  indexName,
  parseIndexBrain,
  selectDimensions,
  selectIndexes,
  selectPerhapsLarge,
  selectSpaces,
} from './pgvector-queries.ts'
import type { BrainSpace } from './queries.ts'

// The indexes of large Brains in the database, built and dropped without blocking reads or writes. PostgreSQL's own catalog lists
// them and says whether they are valid, so no other record can disagree with it. A lock of the building session lets one node build
// at a time, and ends with that session.

export type IndexKeeperDeps = {
  db: Db
  address: DatabaseAddress
  prepared: RunPrepared
  clock: Clock
  log: Log
  embedder: Embedder
  large: { pgvector: Pgvector; passages: number } | undefined
}

const lockNumber = 4_100_003
/** Each insert of a vector, of any Brain, evaluates the condition of every index: so their number is limited. */
const maxIndexes = 200
/** The maximum of half-precision numbers that pgvector can index. */
const maxDimensions = 4_000
/** The time after which a failed build is tried again. */
const retryMilliseconds = 3_600_000

type Large = BrainSpace & { dimensions: number }
type Work = { drop: string[]; build: Large[] }

/** The indexes to drop and to build. */
const findWork = async (deps: IndexKeeperDeps, retryAt: ReadonlyMap<string, number>): Promise<Work> => {
  const { db, prepared, clock, embedder, large } = deps
  const indexes = await prepared(selectIndexes)
  if (!large) return { drop: indexes.map(({ name }) => name), build: [] }
  const used = await selectSpaces(db, [...new Set(indexes.map(({ name }) => parseIndexBrain(name)))])
  const requested = new Set(used.map(indexName))
  const [kept, drop] = [new Set<string>(), [] as string[]]
  for (const { name, isValid } of indexes)
    if (isValid && requested.has(name)) kept.add(name)
    else drop.push(name)
  // While the space in use is unknown, nothing is embedded, and no Brain grows.
  const space = await embedder.space().catch(() => undefined)
  const perhaps =
    space === undefined ? [] : await selectPerhapsLarge(db, space, { vectors: large.passages, limit: maxIndexes })
  const build: Large[] = []
  for (const key of perhaps) {
    const name = indexName(key)
    const isWaiting = (retryAt.get(name) ?? 0) > clock.now().getTime()
    if (kept.has(name) || isWaiting || kept.size + build.length >= maxIndexes) continue
    const dimensions = await selectDimensions(db, key, large.passages)
    if (dimensions !== undefined && dimensions <= maxDimensions) build.push({ ...key, dimensions })
  }
  return { drop, build }
}

/** Maintains the indexes on one node: each call does all the work there is, which may take long. */
export const createIndexKeeper = (deps: IndexKeeperDeps): ((stopping?: AbortSignal) => Promise<void>) => {
  const { db, address, clock, log, large } = deps
  const retryAt = new Map<string, number>()

  const build = async (session: LongSession, key: Large, { schema }: Pgvector) => {
    const startedAt = clock.now().getTime()
    try {
      await db.transaction().execute((tx) => createVectorFunction(tx, schema, key.dimensions))
      await session.run(buildIndex(key, schema))
    } catch (error) {
      retryAt.set(indexName(key), startedAt + retryMilliseconds)
      throw error
    }
    const seconds = Math.round((clock.now().getTime() - startedAt) / 1000)
    log.info({ brainId: key.brainId, space: key.space, seconds }, 'indexed the vectors of a large Brain')
  }

  return async (stopping) => {
    const isNeeded = (work: Work) => work.drop.length + work.build.length > 0
    if (!isNeeded(await findWork(deps, retryAt))) return
    const session = await openLongSession(db, address, stopping)
    try {
      if (!(await session.takeLock(lockNumber))) return
      // Another node may have done it meanwhile. An index that is still invalid was left by a node that died.
      const work = await findWork(deps, retryAt)
      for (const name of work.drop) await session.run(dropIndex(name))
      if (large) for (const key of work.build) await build(session, key, large.pgvector)
    } catch (error) {
      if (!stopping?.aborted) throw error
    } finally {
      await session.end()
    }
  }
}
