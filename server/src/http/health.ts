import type { FastifyInstance } from 'fastify'
import { unavailable } from '../shared/errors.ts'
import { withTimeout } from '../shared/timeout.ts'
import type { Db } from '../storage/database.ts'
import { isMigrated } from '../storage/migrate.ts'

const readyMilliseconds = 2_000

/** Whether the database answers in time and has this version's schema. */
const isReady = (db: Db): Promise<boolean> =>
  withTimeout(
    isMigrated(db).catch(() => false),
    readyMilliseconds,
    false,
  )

/** Registers what tells whether the process lives, and whether requests may be sent to it (D-80). */
export const registerHealth = (app: FastifyInstance, { db }: { db: Db }, draining: AbortSignal): void => {
  app.get('/livez', async () => ({ data: { live: true } }))
  app.get('/readyz', async () => {
    if (draining.aborted) throw unavailable('This node is shutting down.')
    if (!(await isReady(db)))
      throw unavailable('This node is not ready: its database does not respond or is not migrated.')
    return { data: { ready: true } }
  })
}
