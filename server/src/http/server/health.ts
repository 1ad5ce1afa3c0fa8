import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../shared/errors.ts'
import { withTimeout } from '../../shared/timeout.ts'
import type { WorkerHealth } from '../../shared/worker-health.ts'
import type { Db } from '../../storage/database.ts'
import type { DiskWatch } from '../../storage/disk-watch.ts'
import { isMigrated } from '../../storage/migrate.ts'

const readyMilliseconds = 2_000

/** True if the database answers in time and has this version's schema. */
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

type Health = {
  db: Db
  disk: Pick<DiskWatch, 'isFull'>
  workers(): readonly WorkerHealth[]
  leaving: AbortSignal
  /** True if a request carries the credential of an administrator. Throws if it carries one that is not valid. */
  isFromAdministrator(request: FastifyRequest, reply: FastifyReply): Promise<boolean>
}

/**
 * Registers the probes: whether the process lives, and whether requests may be sent to it (D-80). A node is ready while its
 * database responds and it is not shutting down. While the disk of the database is full it stays ready, as reads go on. Administrators also see its background work, which makes no node unready:
 * another one would do no better, and requests are answered all the same.
 */
export const registerHealth = (
  app: FastifyInstance,
  { db, disk, workers, leaving, isFromAdministrator }: Health,
): void => {
  app.get('/livez', async () => ({ data: { live: true } }))
  app.get('/readyz', async (request, reply) => {
    if (leaving.aborted) throw unavailable('This node is shutting down.')
    if (!(await isReady(db)))
      throw unavailable('This node is not ready: its database does not respond or is not migrated.')
    const standing = { ready: true, writable: !disk.isFull() }
    if (!(await isFromAdministrator(request, reply))) return { data: standing }
    return { data: { ...standing, workers: workers().map(toAnswer) } }
  })
}
