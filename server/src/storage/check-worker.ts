import { listHostUrls } from '../shared/network/database-url.ts'
import { toHostPort } from '../shared/network/host-port.ts'
import { withTimeout } from '../shared/timeout.ts'
import type { Db } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'
import { listIdentities, readIdentity, type WorkerAddress } from './worker-queries.ts'

// The address of a worker of a Citus cluster, as nodes connect to it, and the check that it is the right server.

/** A worker that does not answer for this long counts as lost. */
export const answerMilliseconds = 3_000

/** The address of a worker, with the user, the password and the database of the coordinator's address. */
export const toWorkerDatabase = (address: DatabaseAddress, worker: WorkerAddress): DatabaseAddress => {
  const { host, port } = worker
  if (typeof address !== 'string') return { ...address, host, port }
  const url = new URL(listHostUrls(address)[0] ?? address)
  url.host = toHostPort(worker)
  return url.href
}

/** The identity of each worker that the coordinator reaches, by its host and port. */
export const readIdentities = async (coordinator: Db): Promise<Map<string, string>> =>
  new Map((await listIdentities(coordinator)).map((worker) => [toHostPort(worker), worker.identity]))

/**
 * Checks that a worker answers, and that its address leads to the same server from here as from the coordinator, which knows it by
 * `identity`. Throws the reason if not.
 */
export const checkWorker = async (db: Db, identity: string | undefined): Promise<void> => {
  if (identity === undefined) throw new Error('The coordinator does not reach it.')
  const found = await withTimeout(readIdentity(db), answerMilliseconds)
  if (found === undefined) throw new Error('It does not answer.')
  if (found !== identity) throw new Error('Its address leads to another server from here.')
}
