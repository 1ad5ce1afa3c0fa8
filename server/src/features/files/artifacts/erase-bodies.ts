import type { Clock } from '../../../shared/clock.ts'
import type { Log } from '../../../shared/log.ts'
import type { Db } from '../../../storage/database.ts'
import { eraseObjects } from './body-objects.ts'
import { type BodyKey, deleteBody, deleteChunks, selectDueBodies } from './body-queries.ts'
import { postponeBody, selectLostObjects, selectOrganizationObjects } from './object-queries.ts'
import { type ObjectStore, StoreFailed } from './object-store.ts'

// Erases the bytes of files: those that were deleted, and those that arrived for nothing. A body stays in the database and counts
// until its bytes are gone, so nothing is lost while the store of objects is down.

type Deps = { db: Db; objects: ObjectStore }

const chunksAtOnce = 64
const bodiesAtOnce = 50
const retryMinutes = 5

/** Erases a body that is due, a part at a time. It may begin again anywhere. Throws StoreFailed while the store does not answer. */
export const eraseBody = async (deps: Deps, key: BodyKey, given: { isWaitedFor?: boolean } = {}): Promise<void> => {
  const { db } = deps
  await eraseObjects(deps, key, given)
  while ((await deleteChunks(db, { ...key, limit: chunksAtOnce })) === chunksAtOnce);
  await db.transaction().execute((tx) => deleteBody(tx, key))
}

/**
 * Erases the bodies that are due: of uploads whose node died, and of deleted files whose erasing was interrupted. When the store fails,
 * only those in PostgreSQL are erased, and the others with a later run.
 */
export const eraseDueBodies = async (deps: Deps & { clock: Clock; log: Log }): Promise<void> => {
  const { db, clock, log } = deps
  let isStoreDown = false
  for (;;) {
    const due = await selectDueBodies(db, clock.now(), {
      limit: bodiesAtOnce,
      isStored: isStoreDown ? false : undefined,
    })
    let erased = 0
    for (const body of due)
      try {
        await eraseBody(deps, body)
        erased++
      } catch (error) {
        if (!(error instanceof StoreFailed)) throw error
        isStoreDown = true
        await postponeBody(db, body, new Date(clock.now().getTime() + retryMinutes * 60_000))
        log.warn({ reason: error.reason }, 'bytes of deleted files are still in their store and are erased later')
        break
      }
    if (erased === due.length && due.length < bodiesAtOnce) return
  }
}

/** Erases objects whose bodies are gone. */
export const eraseLostObjects = async (deps: Deps): Promise<void> => {
  for (;;) {
    const lost = await selectLostObjects(deps.db, bodiesAtOnce)
    for (const body of lost) await eraseObjects(deps, body)
    if (lost.length < bodiesAtOnce) return
  }
}

/**
 * Erases the objects of an organization that has ended, some at a time: the number of bodies that had some, and whether others are left
 * because they are still arriving. Their uploads end by themselves.
 */
export const eraseSomeObjects = async (
  deps: Deps & { clock: Clock },
  organizationId: string,
): Promise<{ erased: number; hasMore: boolean }> => {
  const found = await selectOrganizationObjects(deps.db, { organizationId, now: deps.clock.now(), limit: bodiesAtOnce })
  const toErase = found.filter(({ isArriving }) => !isArriving)
  for (const body of toErase) await eraseObjects(deps, body)
  return { erased: toErase.length, hasMore: found.length > toErase.length || found.length === bodiesAtOnce }
}
