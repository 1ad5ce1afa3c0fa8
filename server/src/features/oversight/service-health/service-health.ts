import { randomUUID } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import type { Clock } from '../../../shared/clock.ts'
import { readServiceVersion } from '../../../shared/service-version.ts'
import type { WorkerHealth } from '../../../shared/worker-health.ts'
import { selectLastBackups, selectLogArchive } from '../../../storage/backup/last-backups.ts'
import type { Db } from '../../../storage/database.ts'
import { readNewestMigration } from '../../../storage/migrate.ts'
import {
  deleteNode,
  type NodeRow,
  selectAddresses,
  selectDatabase,
  selectLaggingWebhooks,
  selectLags,
  selectNodes,
  selectQueues,
  upsertNode,
} from './queries.ts'

// The health of the service, for its operator. Each node reports now and then, so that any of them can answer for all.

/** `builtIn`: whether the database is the one that Noema runs itself. */
type Deps = { db: Db; clock: Clock; mail: { delivers: boolean }; builtIn: boolean }

const reportSeconds = 10
/** After three missing reports a node counts as gone, and after a day its row is deleted. */
const aliveMilliseconds = 3 * reportSeconds * 1000
const keptMilliseconds = 86_400_000
const cachedMilliseconds = 5_000

/** The share of a folder's disk that is used; undefined where it is unknown. */
const readDisk = async (folder: string | undefined) => {
  const found = folder === undefined ? undefined : await statfs(folder).catch(() => undefined)
  return found && { free: found.bavail * found.bsize, total: found.blocks * found.bsize }
}

type Node = {
  roles: readonly string[]
  dataDir: string | undefined
  health: () => readonly WorkerHealth[]
  /** The host and port at which other nodes reach it. */
  address?: string | undefined
}

/** A worker that reports its node. It begins with the node and ends with it. */
export const createNodeReport = (
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  { roles, dataDir, health, address }: Node,
) => {
  const node = { id: randomUUID(), version: readServiceVersion(), roles: [...roles], startedAt: clock.now() }
  let reporting = Promise.resolve()
  const report = async (): Promise<void> => {
    const disk = await readDisk(dataDir)
    const now = clock.now()
    const report = {
      ...node,
      address: address ?? null,
      seenAt: now,
      diskFree: disk?.free ?? null,
      diskTotal: disk?.total ?? null,
      workers: health(),
    }
    await upsertNode(db, report, new Date(now.getTime() - keptMilliseconds))
  }
  return {
    name: 'report this node',
    everySeconds: reportSeconds,
    run: report,
    // A node whose database does not answer at once reports later.
    start: () => {
      reporting = report().catch(() => undefined)
    },
    stop: async () => {
      await reporting
      await deleteNode(db, node.id).catch(() => undefined)
    },
  }
}

/** The addresses of the nodes of this version, for connections between them. */
export const findNodeAddresses = ({ db, clock }: Pick<Deps, 'db' | 'clock'>): Promise<string[]> =>
  selectAddresses(db, {
    version: readServiceVersion(),
    since: new Date(clock.now().getTime() - aliveMilliseconds),
  })

const toNode = (row: NodeRow, now: Date): ServiceHealth['nodes'][number] => ({
  ...{ id: row.id, version: row.version, roles: row.roles },
  startedAt: row.startedAt.toISOString(),
  seenAt: row.seenAt.toISOString(),
  alive: now.getTime() - row.seenAt.getTime() <= aliveMilliseconds,
  disk: row.diskFree === null || row.diskTotal === null ? null : { freeBytes: row.diskFree, totalBytes: row.diskTotal },
  workers: row.workers.map(({ name, lastSuccess, consecutiveFailures, lastError, turns }) => ({
    ...{ name, consecutiveFailures, lastSuccess: lastSuccess ?? null, lastError: lastError ?? null },
    ...(turns ? { turns } : {}),
  })),
})

const readBackups = async (db: Db): Promise<ServiceHealth['backups']> => {
  const [last, archive] = await Promise.all([selectLastBackups(db), selectLogArchive(db)])
  return {
    last: last.map(({ madeAt, ...backup }) => ({ ...backup, madeAt: madeAt.toISOString() })),
    archive: archive ? { lastSuccess: archive.lastSuccess?.toISOString() ?? null, failing: archive.failing } : null,
  }
}

/** Finds the space in which texts are embedded. */
type FindSpace = (() => Promise<string | undefined>) | undefined

const readHealth = async ({ db, clock, mail, builtIn }: Deps, findSpace: FindSpace): Promise<ServiceHealth> => {
  const now = clock.now()
  const [nodes, queues, { vectors, ...lags }, webhooks, { postgresql, applied, ...database }, backups, known] =
    await Promise.all([
      selectNodes(db),
      selectQueues(db, now),
      selectLags(db, await findSpace?.().catch(() => undefined)),
      selectLaggingWebhooks(db),
      selectDatabase(db),
      readBackups(db),
      readNewestMigration(),
    ])
  return {
    at: now.toISOString(),
    versions: { service: readServiceVersion(), node: process.version, postgresql, schema: { applied, known } },
    nodes: nodes.map((row) => toNode(row, now)),
    queues: queues.map(({ oldestDueAt, ...queue }) => ({ ...queue, oldestDueAt: oldestDueAt?.toISOString() ?? null })),
    ...{ lags, vectors, webhooks, backups, mail: { delivers: mail.delivers } },
    database: { ...database, builtIn },
  }
}

/** Reads the health of the service, at most once in five seconds for any number of requests. */
export const createServiceHealth = (deps: Deps, findSpace: FindSpace) => {
  let seen: { at: number; health: Promise<ServiceHealth> } | undefined
  return {
    read: (): Promise<ServiceHealth> => {
      const now = deps.clock.now().getTime()
      if (seen && Math.abs(now - seen.at) < cachedMilliseconds) return seen.health
      const health = readHealth(deps, findSpace)
      const mine = { at: now, health }
      seen = mine
      // The next request tries a failed check again.
      health.catch(() => {
        if (seen === mine) seen = undefined
      })
      return health
    },
  }
}

export type ServiceHealthReader = ReturnType<typeof createServiceHealth>
