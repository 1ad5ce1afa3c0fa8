import pg from 'pg'
import { ApiError } from '../shared/errors.ts'
import type { Log } from '../shared/log.ts'
import { toHostPort } from '../shared/network/host-port.ts'
import { withTimeout } from '../shared/timeout.ts'
import { answerMilliseconds, checkWorker, readIdentities, toWorkerDatabase } from './check-worker.ts'
import { type OpenDatabase, openDatabase, type ReadSource } from './database.ts'
import type { DatabaseAddress } from './database-address.ts'
import { isDatabaseUnavailable, wasRefused } from './database-errors.ts'
import { DatabaseSilent } from './hang-watch.ts'
import { findShards, isReached, listShards, type WorkerAddress } from './worker-queries.ts'

// Connections to the workers of a Citus cluster. The worker that has a Brain answers for it without the coordinator. Every server of the
// cluster answers correctly for every Brain, so the known worker is only a hint: the coordinator is used while it is unknown or lost. If the
// coordinator gets no answer from it either, its Brains are refused at once, and no connection waits for it.

const pollMilliseconds = 5_000
/** The most Brains whose shards are cached, and that are looked up at once. */
const maxBrains = 100_000
const maxRequested = 1_000

export type BrainServers = {
  /**
   * The worker that has a Brain; undefined if it is unknown or lost, or if the tables are on one server. Throws DatabaseSilent if nothing
   * gets an answer from it.
   */
  find(brainId: number): ReadSource | undefined
  /** True while nothing gets an answer from one of the workers: statements about all of them would wait for it. */
  isAnySilent(): boolean
  /** Reads a Brain from its worker, or from the primary if there is none or it fails. Refusals of the task are passed on. */
  read<Found>(brainId: number, task: (source: ReadSource) => Promise<Found>): Promise<Found>
  /** Records the failure of a statement. A lost worker is not used until it answers again. */
  recordFailure(source: ReadSource, error: unknown): void
  close(): Promise<void>
}

/** For a database on one server, and for nodes that connect to the coordinator only. */
export const noBrainServers = (primary: ReadSource): BrainServers => ({
  find: () => undefined,
  isAnySilent: () => false,
  read: (_brainId, task) => task(primary),
  recordFailure: () => undefined,
  close: async () => undefined,
})

type WorkerOptions = { pool: number; statementSeconds: number; preparesStatements: boolean }
type Parts = { primary: OpenDatabase; address: DatabaseAddress; options: WorkerOptions; log: Log }

/** Asks again only once it has the answer to the question before. Undefined while that is late. */
const createQuestion = <Answer>(ask: () => Promise<Answer>) => {
  let asked: Promise<Answer> | undefined
  return (): Promise<Answer | undefined> => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return withTimeout(asked, answerMilliseconds)
  }
}

/** The connections to one worker. */
class Worker {
  readonly source: ReadSource
  readonly #database: OpenDatabase
  isUsed = false
  /** True while nothing gets an answer from it, neither this node nor the coordinator. */
  isSilent = false
  readonly #isReached: () => Promise<boolean | undefined>
  /** As the coordinator knows it. */
  #identity: string | undefined
  readonly #name: string
  readonly #log: Log
  /** The last reason why it is not used, logged once. */
  #reason: string | undefined

  constructor({ primary, address, options: { pool, ...options }, log }: Parts, worker: WorkerAddress) {
    const given = { ...options, name: 'noema', connectMilliseconds: answerMilliseconds }
    this.#database = openDatabase(toWorkerDatabase(address, worker), log, pool, { ...given, clusterRole: 'worker' })
    const { db, prepared, together } = this.#database
    this.source = { db, prepared, together, whole: primary.prepared }
    this.#isReached = createQuestion(() => isReached(primary.db, worker))
    this.#name = toHostPort(worker)
    this.#log = log
  }

  /** Checks that it answers, and that its address leads to the same server from here as from the coordinator. */
  async check(findIdentity: (name: string) => Promise<string | undefined>): Promise<void> {
    try {
      this.isSilent = !(await this.#isReached())
      this.#identity ??= await findIdentity(this.#name)
      await checkWorker(this.source.db, this.isSilent ? undefined : this.#identity)
      this.#log.info({ worker: this.#name }, 'a worker of the cluster is connected to')
      this.#reason = undefined
      this.isUsed = true
    } catch (error) {
      this.#identity = undefined
      this.lose(error)
    }
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  /** A server that accepts connections and does not answer is silent: a statement of the coordinator would wait for it, too. */
  lose(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (reason !== this.#reason)
      this.#log.warn({ worker: this.#name, reason }, 'a worker of the cluster is not connected to until it answers')
    this.#reason = reason
    this.isUsed = false
    this.isSilent ||= this.#database.isSilent() || (error instanceof Error && error.message.includes('timeout'))
  }
}

/** True if a server, and not only a statement, failed. */
const isLoss = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && (!(error instanceof pg.DatabaseError) || /^(08|57P)/.test(error.code ?? ''))

/** The shards of Brains, which never change while the tables have the same shards. Unknown ones are looked up in the background. */
const createBrainShards = ({ primary: { db }, log }: Parts) => {
  let shards = new Map<number, number>()
  const requested = new Set<number>()
  let isLooking = false
  const lookUp = async () => {
    isLooking = true
    try {
      while (requested.size > 0) {
        const brainIds = [...requested].slice(0, maxRequested)
        for (const brainId of brainIds) requested.delete(brainId)
        const into = shards
        if (into.size > maxBrains) into.clear()
        for (const [index, shard] of (await findShards(db, brainIds)).entries()) into.set(brainIds[index] ?? 0, shard)
      }
    } catch (error) {
      log.debug({ error: String(error) }, 'the shards of Brains could not be looked up')
      requested.clear()
    }
    isLooking = false
  }
  return {
    find: (brainId: number): number | undefined => {
      const shard = shards.get(brainId)
      if (shard !== undefined) return shard
      if (requested.size < maxBrains) requested.add(brainId)
      if (!isLooking) void lookUp()
      return undefined
    },
    forget: () => {
      shards = new Map()
    },
  }
}

/** Follows which workers there are, which answer, and which shards they have. */
const createWorkers = (parts: Parts) => {
  const { db } = parts.primary
  const workers = new Map<string, Worker>()
  const askIdentities = createQuestion(() => readIdentities(db))
  const findIdentity = async (name: string): Promise<string | undefined> => (await askIdentities())?.get(name)
  let shards = new Map<number, Worker>()
  let isSplit = false
  const poll = async () => {
    const found = await listShards(db)
    const names = new Set(found.map(toHostPort))
    for (const worker of found)
      if (!workers.has(toHostPort(worker))) workers.set(toHostPort(worker), new Worker(parts, worker))
    const now = new Map(found.flatMap((one) => [[one.shard, workers.get(toHostPort(one)) as Worker] as const]))
    isSplit ||= [...shards.keys()].some((shard) => !now.has(shard))
    shards = now
    const unused = [...workers].filter(([name, { isUsed }]) => names.has(name) && !isUsed)
    await Promise.all(unused.map(([, worker]) => worker.check(findIdentity)))
    for (const [name, worker] of workers) {
      if (names.has(name)) continue
      workers.delete(name)
      await worker.close()
    }
  }
  return {
    poll,
    find: (shard: number): Worker | undefined => shards.get(shard),
    list: () => [...workers.values()],
    /** True once after shards were split. */
    takeSplit: () => {
      const was = isSplit
      isSplit = false
      return was
    },
  }
}

/**
 * Opens connections to the workers of the cluster, with the user, the password and the database of `address`. The caller closes them. A
 * node starts whether or not they answer.
 */
export const openBrainServers = async (parts: Parts): Promise<BrainServers> => {
  const { primary, log } = parts
  const brains = createBrainShards(parts)
  const workers = createWorkers(parts)
  let polling: Promise<void> | undefined
  const poll = () => {
    polling ??= workers
      .poll()
      .catch((error) => log.debug({ error: String(error) }, 'the workers of the cluster could not be read'))
      .finally(() => {
        if (workers.takeSplit()) brains.forget()
        polling = undefined
      })
    return polling
  }
  await poll()
  const timer = setInterval(() => void poll(), pollMilliseconds).unref()
  const find = (brainId: number): ReadSource | undefined => {
    const shard = brains.find(brainId)
    const worker = shard === undefined ? undefined : workers.find(shard)
    if (worker?.isSilent) throw new DatabaseSilent()
    return worker?.isUsed ? worker.source : undefined
  }
  const recordFailure = (source: ReadSource, error: unknown): void => {
    const worker = workers.list().find((one) => one.source === source)
    if (isLoss(error)) {
      worker?.lose(error)
      void poll()
    } else if (wasRefused(error) && !isDatabaseUnavailable(error))
      log.warn({ err: error }, 'a worker of the cluster refused a statement, which the coordinator gets instead')
  }
  return {
    find,
    isAnySilent: () => workers.list().some(({ isSilent }) => isSilent),
    recordFailure,
    read: async (brainId, task) => {
      const source = find(brainId)
      if (!source) return task(primary)
      try {
        return await task(source)
      } catch (error) {
        if (error instanceof ApiError) throw error
        recordFailure(source, error)
        // Throws where the coordinator would wait for the same server.
        find(brainId)
        return task(primary)
      }
    },
    close: async () => {
      clearInterval(timer)
      await polling
      await Promise.all(workers.list().map((worker) => worker.close()))
    },
  }
}
