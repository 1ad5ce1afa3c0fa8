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
  selectPlaces,
} from './pgvector-queries.ts'
import type { Place } from './queries.ts'

// The indexes of large Brains in the database, built and dropped while everybody goes on reading and writing. What there is
// and whether it is whole is read from PostgreSQL's own catalog, so there is nothing that could disagree with it. A lock
// of the session that builds lets one node build at a time, and goes when that session does.

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
/** Each insert of a vector, of any Brain, asks every index whether it is meant: so there are not many. */
const maxIndexes = 200
/** What pgvector can index of half-precision numbers. */
const maxDimensions = 4_000
/** How long an index whose build failed is left alone. */
const retryMilliseconds = 3_600_000

type Large = Place & { dimensions: number }
type Work = { drop: string[]; build: Large[] }

/** What is to be done for the indexes to be as they are wanted. */
const findWork = async (deps: IndexKeeperDeps, retryAt: ReadonlyMap<string, number>): Promise<Work> => {
  const { db, prepared, clock, embedder, large } = deps
  const indexes = await prepared(selectIndexes)
  if (!large) return { drop: indexes.map(({ name }) => name), build: [] }
  const places = await selectPlaces(db, [...new Set(indexes.map(({ name }) => parseIndexBrain(name)))])
  const wanted = new Set(places.map(indexName))
  const [kept, drop] = [new Set<string>(), [] as string[]]
  for (const { name, isValid } of indexes)
    if (isValid && wanted.has(name)) kept.add(name)
    else drop.push(name)
  // Where it is not known what space is in use, nothing is embedded, and no Brain grows.
  const space = await embedder.space().catch(() => undefined)
  const perhaps =
    space === undefined ? [] : await selectPerhapsLarge(db, space, { vectors: large.passages, limit: maxIndexes })
  const build: Large[] = []
  for (const place of perhaps) {
    const name = indexName(place)
    const isWaiting = (retryAt.get(name) ?? 0) > clock.now().getTime()
    if (kept.has(name) || isWaiting || kept.size + build.length >= maxIndexes) continue
    const dimensions = await selectDimensions(db, place, large.passages)
    if (dimensions !== undefined && dimensions <= maxDimensions) build.push({ ...place, dimensions })
  }
  return { drop, build }
}

/** The keeping of indexes on one node, a turn at a time: a turn does all that there is to do, which may take long. */
export const createIndexKeeper = (deps: IndexKeeperDeps): ((stopping?: AbortSignal) => Promise<void>) => {
  const { db, address, clock, log, large } = deps
  const retryAt = new Map<string, number>()

  const build = async (session: LongSession, place: Large, { schema }: Pgvector) => {
    const startedAt = clock.now().getTime()
    try {
      await db.transaction().execute((tx) => createVectorFunction(tx, schema, place.dimensions))
      await session.run(buildIndex(place, schema))
    } catch (error) {
      retryAt.set(indexName(place), startedAt + retryMilliseconds)
      throw error
    }
    const seconds = Math.round((clock.now().getTime() - startedAt) / 1000)
    log.info({ brainId: place.brainId, space: place.space, seconds }, 'indexed the vectors of a large Brain')
  }

  return async (stopping) => {
    const isNeeded = ({ drop, build: wanted }: Work) => drop.length + wanted.length > 0
    if (!isNeeded(await findWork(deps, retryAt))) return
    const session = await openLongSession(db, address, stopping)
    try {
      if (!(await session.takeLock(lockNumber))) return
      // Another node may have done it meanwhile. What is not whole now was left by one that died.
      const work = await findWork(deps, retryAt)
      for (const name of work.drop) await session.run(dropIndex(name))
      if (large) for (const place of work.build) await build(session, place, large.pgvector)
    } catch (error) {
      if (!stopping?.aborted) throw error
    } finally {
      await session.end()
    }
  }
}
