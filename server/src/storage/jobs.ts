import type { PgBoss, Queue } from 'pg-boss'
import type { Log } from '../shared/log.ts'
import type { Db, Tx } from './database.ts'

// Work that must outlive a crash is a job of pg-boss: fetched by one node at a time, and fetched again if that one does not
// say in time that it is done. Its tables are in a schema of its own, reached over the service's own connections. Neither
// they nor the library are there until the first job is.

/** A queue of one sort of job. */
export type JobQueue<Data extends object> = {
  /** Sets up what jobs are kept in, which no transaction should wait for. */
  open(): Promise<void>
  /** Adds jobs, as a part of a transaction; after some seconds where they are not for now. */
  add(tx: Tx, jobs: readonly Data[], afterSeconds?: number): Promise<void>
  /** Takes up to so many jobs that are due; each must be done before `expireInSeconds` of its queue. */
  take(limit: number): Promise<{ id: string; data: Data }[]>
  /** Says that a job is done, as a part of the transaction that keeps what it did. */
  finish(tx: Tx, id: string): Promise<void>
  /** Gives a job back: it is taken again soon. */
  giveBack(id: string): Promise<void>
  close(): Promise<void>
}

const start = async (db: Db, log: Log): Promise<PgBoss> => {
  const { fromKysely, PgBoss } = await import('pg-boss')
  const boss = new PgBoss({ db: fromKysely(db), schema: 'jobs', schedule: false, persistWarnings: false })
  boss.on('error', (error) => log.warn({ err: error }, 'the queue of jobs reports an error'))
  return boss.start()
}

/** Prepares a queue: nothing happens before it is opened, or used. */
export const openJobQueue = <Data extends object>(
  { db, log }: { db: Db; log: Log },
  name: string,
  options: Omit<Queue, 'name'>,
): JobQueue<Data> => {
  let starting: Promise<PgBoss> | undefined
  const opened = async () => {
    const { fromKysely } = await import('pg-boss')
    starting ??= start(db, log)
      .then(async (boss) => {
        await boss.createQueue(name, options)
        return boss
      })
      .catch((error: unknown) => {
        starting = undefined
        throw error
      })
    return { boss: await starting, over: (tx: Tx) => ({ db: fromKysely(tx) }) }
  }
  return {
    open: async () => void (await opened()),
    add: async (tx, jobs, afterSeconds = 0) => {
      const { boss, over } = await opened()
      await boss.insert(
        name,
        jobs.map((data) => ({ data, startAfter: afterSeconds })),
        over(tx),
      )
    },
    take: async (limit) => (await (await opened()).boss.fetch<Data>(name, { batchSize: limit })) ?? [],
    finish: async (tx, id) => {
      const { boss, over } = await opened()
      await boss.complete(name, id, null, over(tx))
    },
    giveBack: async (id) => {
      await (await opened()).boss.fail(name, id)
    },
    close: async () => {
      const boss = await starting?.catch(() => undefined)
      await boss?.stop({ graceful: false, close: false })
    },
  }
}
