import { EventEmitter } from 'node:events'
import { sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../../shared/log.ts'
import type { DatabaseAddress, Db } from '../../../storage/database.ts'

const channel = 'noema_wakes'
const anyBrain = Symbol('any Brain')
const gatherMilliseconds = 10
const reconnectMilliseconds = 1_000

/**
 * Tells readers that a Brain has new events, on this node at once and on others through LISTEN/NOTIFY. Wakes are hints:
 * whoever waits for one also looks by itself about once a second, so a lost wake costs time and never an event.
 */
export type Wakes = {
  wake(brainId: number): void
  /** Calls back at every wake of the Brain until the returned function is called. */
  onWake(brainId: number, listener: () => void): () => void
  /** Calls back at every wake of any Brain until the returned function is called. */
  onAnyWake(listener: (brainId: number) => void): () => void
  close(): Promise<void>
}

/** Gathers wakes and notifies other nodes once for many: a NOTIFY in each write's transaction would halve the writes. */
const createNotifier = (db: Db, log: Log) => {
  const gathered = new Set<number>()
  let timer: NodeJS.Timeout | undefined
  const flush = async () => {
    timer = undefined
    const payload = [...gathered].slice(0, 500).join(',')
    gathered.clear()
    // A notification takes a transaction id, whose commit would wait for a sync of its own; losing one costs nothing.
    await sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`
      .execute(db)
      .catch((error) => {
        log.debug({ error: String(error) }, 'other nodes were not woken; they look by themselves')
      })
  }
  return {
    add: (brainId: number) => {
      gathered.add(brainId)
      timer ??= setTimeout(flush, gatherMilliseconds)
    },
    stop: () => clearTimeout(timer),
  }
}

const createListener = (address: DatabaseAddress, log: Log, woken: (brainId: number) => void) => {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const reconnect = () => {
    if (closed || timer) return
    timer = setTimeout(() => {
      timer = undefined
      void connect()
    }, reconnectMilliseconds)
  }
  const connect = async () => {
    const next = new pg.Client(typeof address === 'string' ? { connectionString: address } : { ...address, ssl: false })
    client = next
    next.on('notification', ({ payload }) => {
      for (const id of payload?.split(',') ?? []) woken(Number(id))
    })
    next.on('error', (error) => log.debug({ error: error.message }, 'the wake connection was lost'))
    next.on('end', reconnect)
    try {
      await next.connect()
      await next.query(`listen ${channel}`)
    } catch (error) {
      log.debug({ error: String(error) }, 'the wake connection could not be made')
      await next.end().catch(() => undefined)
      reconnect()
    }
  }
  return {
    start: connect,
    stop: async () => {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}

/** Starts waking and being woken. */
export const createWakes = (db: Db, address: DatabaseAddress, log: Log): Wakes => {
  const emitter = new EventEmitter().setMaxListeners(0)
  const emit = (brainId: number) => {
    emitter.emit(String(brainId))
    emitter.emit(anyBrain, brainId)
  }
  const notifier = createNotifier(db, log)
  const listener = createListener(address, log, emit)
  void listener.start()
  return {
    wake: (brainId) => {
      emit(brainId)
      notifier.add(brainId)
    },
    onWake: (brainId, callback) => {
      emitter.on(String(brainId), callback)
      return () => emitter.off(String(brainId), callback)
    },
    onAnyWake: (callback) => {
      emitter.on(anyBrain, callback)
      return () => emitter.off(anyBrain, callback)
    },
    close: async () => {
      notifier.stop()
      await listener.stop()
    },
  }
}
