import type { FastifyInstance } from 'fastify'
import { unavailable } from '../../shared/errors.ts'
import { withTimeout } from '../../shared/timeout.ts'
import type { WorkerHealth } from '../../shared/worker-health.ts'
import type { Db } from '../../storage/database.ts'
import { isMigrated } from '../../storage/migrate.ts'

const readyMilliseconds = 2_000

/** Whether the database answers in time and has this version's schema. */
const isReady = (db: Db): Promise<boolean> =>
  withTimeout(
    isMigrated(db).catch(() => false),
    readyMilliseconds,
    false,
  )

const toAnswer = ({ name, lastSuccess, consecutiveFailures, lastError, turns }: WorkerHealth) => ({
  ...{ name, consecutiveFailures },
  lastSuccess: lastSuccess?.toISOString() ?? null,
  lastError: lastError ?? null,
  ...(turns ? { turns } : {}),
})

type Health = { db: Db; workers(): readonly WorkerHealth[]; leaving: AbortSignal }

/**
 * Registers the liveness and readiness probes (D-80). A node is ready while its database answers and it is not shutting down. The
 * state of background work is reported as well but makes no node unready: another node would do no better, and requests are
 * answered regardless.
 */
export const registerHealth = (app: FastifyInstance, { db, workers, leaving }: Health): void => {
  app.get('/livez', async () => ({ data: { live: true } }))
  app.get('/readyz', async () => {
    if (leaving.aborted) throw unavailable('This node is shutting down.')
    if (!(await isReady(db)))
      throw unavailable('This node is not ready: its database does not respond or is not migrated.')
    return { data: { ready: true, workers: workers().map(toAnswer) } }
  })
}
