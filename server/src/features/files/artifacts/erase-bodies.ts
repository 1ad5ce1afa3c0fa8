import type { Clock } from '../../../shared/clock.ts'
import type { Db } from '../../../storage/database.ts'
import { type BodyKey, deleteBody, deleteChunks, selectDueBodies } from './body-queries.ts'

// Erases the bytes of files: those that were deleted, and those that arrived for nothing.

const chunksAtOnce = 64
const bodiesAtOnce = 50

/** Erases a body that is due, a part at a time. It may begin again anywhere. */
export const eraseBody = async (db: Db, key: BodyKey): Promise<void> => {
  while ((await deleteChunks(db, { ...key, limit: chunksAtOnce })) === chunksAtOnce);
  await db.transaction().execute((tx) => deleteBody(tx, key))
}

/** Erases the bodies that are due: of uploads whose node died, and of deleted files whose erasing was interrupted. */
export const eraseDueBodies = async ({ db, clock }: { db: Db; clock: Clock }): Promise<void> => {
  for (;;) {
    const due = await selectDueBodies(db, clock.now(), bodiesAtOnce)
    for (const body of due) await eraseBody(db, body)
    if (due.length < bodiesAtOnce) return
  }
}
