import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely'
import pg from 'pg'
import { inSpan, isTracing } from '../shared/tracing/spans.ts'
import { executeBytes } from './byte-execution.ts'
import type { DiskWatch } from './disk-watch.ts'
import type { Answer, Column, Prepared, Row, SentValue } from './driver-types.ts'
import { DatabaseSilent, type HangWatch } from './hang-watch.ts'
import { isOutdatedPlan, type StatementNames } from './statement-names.ts'
import { aboutStatement } from './statement-spans.ts'
import { byteTexts, definedTexts } from './statements.ts'

// Every statement runs here, with its connection, name, span and watchdog. A connection that lost an answer may still be in the
// transaction that its caller gave up: the writes of later users would be acknowledged, and lost. One whose statement was refused
// is as good as before, and a new one costs the database more than most statements do.

/** PostgreSQL's sign that a connection is in no transaction, reported at the end of each statement. */
const outsideTransactions = 'I'

/** True if PostgreSQL answered with an error, after which the connection can be used again. */
const isAnswer = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity !== 'FATAL' && error.severity !== 'PANIC'

const areSent = (values: readonly unknown[]): values is SentValue[] =>
  values.every((value) => typeof value === 'string' || value === null || Buffer.isBuffer(value))

/** Gathers the statements that are sent before the event loop goes on, so that one system call sends all of them. */
const gatherWrites = (socket: pg.Connection['stream']): void => {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(() => socket.uncork())
}

/**
 * One execution of a statement that this connection has prepared. Its columns are known since then, so PostgreSQL does not
 * describe them and the driver does not read their description again. The driver calls this as it calls its own queries.
 */
class Execution implements pg.Submittable {
  readonly #prepared: Prepared
  readonly #rows: Row[] = []
  #command = ''
  #failure: unknown
  callback: (error: unknown, answer?: Answer) => void

  constructor(prepared: Prepared, callback: Execution['callback']) {
    this.#prepared = prepared
    this.callback = callback
  }
  submit(connection: pg.Connection): void {
    const { name, values } = this.#prepared
    gatherWrites(connection.stream)
    connection.bind({ statement: name, values }, true)
    connection.execute({}, true)
    connection.sync()
  }
  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#failure !== undefined) return
    try {
      const row: Row = {}
      let index = 0
      for (const { name, parse } of this.#prepared.columns) {
        const value = fields[index++] ?? null
        row[name] = value === null ? null : parse(value)
      }
      this.#rows.push(row)
    } catch (error) {
      this.#failure = error
    }
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.#command = text
  }
  handleReadyForQuery(): void {
    const [command = '', ...counts] = this.#command.split(' ')
    const answer = { command: command as 'SELECT', rowCount: Number(counts.at(-1) ?? 0), rows: this.#rows }
    this.callback(this.#failure, answer)
  }
  handleError(error: unknown): void {
    this.callback(error)
  }
  handleEmptyQuery(): void {}
}

// In pipeline mode the driver refuses queries of other classes, which usually keep a portal open. This one keeps none.
Object.setPrototypeOf(Execution.prototype, pg.Query.prototype)

type Parts = {
  watch: HangWatch
  disk: DiskWatch
  names: StatementNames
  /** True if every statement with parameters is prepared, and not only those that are defined or named before. */
  preparesAll: boolean
}

/** Plans that ran less often are kept twelve times as long: planning the polls of an idle node costs more than running them. */
const minExecutions = 50

/** The time in which a refused statement has ended on all servers, or its connection is given up. */
const readyMilliseconds = 1_000

/** A connection of a pool, for as long as it lives. */
class Connection implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #parts: Parts
  /** The columns of the statements that are prepared on it, by name. */
  readonly #columns = new Map<string, readonly Column[]>()
  /** Statements without an answer: their caller stopped waiting for it, or it never comes. */
  #unanswered = 0
  #takesWrites = true
  #plannedAt = performance.now()
  #executionsSincePlanned = 0

  constructor(client: pg.PoolClient, parts: Parts) {
    this.#client = client
    this.#parts = parts
  }

  query<Found>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Found>>
  query<Found>(cursor: PostgresCursor<Found>): PostgresCursor<Found>
  query<Found>(statement: string | PostgresCursor<Found>, values: readonly unknown[] = []) {
    if (typeof statement === 'string') return this.#run(statement, values)
    const client: PostgresPoolClient = this.#client
    return client.query(statement)
  }

  async #run(text: string, values: readonly unknown[], isRepeated = false): Promise<Answer> {
    const { names, preparesAll, watch, disk } = this.#parts
    const isToPrepare = preparesAll ? text.includes('$1') : definedTexts.has(text)
    const name = names.known.get(text) ?? (isToPrepare ? names.add(text) : undefined)
    const client: PostgresPoolClient = this.#client
    this.#unanswered++
    try {
      const send = () => {
        if (byteTexts.has(text) && areSent(values))
          return executeBytes(this.#client, { name, text, values, separator: byteTexts.get(text) })
        return name === undefined ? client.query<Row>(text, values) : this.#sendPrepared(name, text, values)
      }
      const answer = await (isTracing ? inSpan(() => aboutStatement(text), send) : send())
      this.#unanswered--
      return answer
    } catch (error) {
      if (isAnswer(error)) this.#unanswered--
      disk.note(error)
      if (watch.isReadOnly(error)) this.#takesWrites = false
      if (name === undefined || isRepeated || !isOutdatedPlan(error)) throw error
      if (names.known.get(text) === name) names.renew(text)
      // The refusal ended the transaction, if there is one. A caller that repeats it uses the new name.
      if (this.#client.getTransactionStatus() !== outsideTransactions) throw error
      return this.#run(text, values, true)
    }
  }

  async #sendPrepared(name: string, text: string, values: readonly unknown[]): Promise<Answer> {
    const client = this.#client
    const columns = this.#columns.get(name)
    this.#executionsSincePlanned++
    if (columns && areSent(values))
      return new Promise((resolve, reject) => {
        const end = (error: unknown, answer?: Answer) =>
          answer && error === undefined ? resolve(answer) : reject(error)
        client.query(new Execution({ name, values, columns }, end))
      })
    const answer = await client.query<Row>({ name, text, values: [...values] })
    this.#columns.set(
      name,
      answer.fields.map((field) => ({ name: field.name, parse: client.getTypeParser(field.dataTypeID, 'text') })),
    )
    return answer as Answer
  }

  /**
   * Has PostgreSQL plan the connection's statements again from time to time. By itself it does so once it has counted the rows
   * of a table, which may be a minute after an empty table got millions.
   */
  async replan(planMilliseconds: number): Promise<void> {
    if (this.#columns.size === 0) return
    const now = performance.now()
    const isRare = this.#executionsSincePlanned < minExecutions
    if (now - this.#plannedAt < planMilliseconds * (isRare ? 12 : 1)) return
    this.#plannedAt = now
    this.#executionsSincePlanned = 0
    await this.#client.query('discard plans')
  }

  release(isDiscarded = false): void {
    const isInTransaction = this.#client.getTransactionStatus() !== outsideTransactions
    if (isDiscarded || !this.#takesWrites || this.#unanswered > 0 || isInTransaction) this.#client.release(true)
    else if (Reflect.get(this.#client, 'readyForQuery') === true) this.#client.release()
    else this.#releaseOnceReady()
  }

  /**
   * Citus refuses a statement before it has ended it on the other servers. Until then the connection takes no other one: for a moment, or for
   * as long as a server hangs.
   */
  #releaseOnceReady(): void {
    const end = () => {
      clearTimeout(timer)
      this.#client.off('drain', end)
      this.release(Reflect.get(this.#client, 'readyForQuery') !== true)
    }
    const timer = setTimeout(end, readyMilliseconds)
    this.#client.once('drain', end)
  }
}

/** The pool as connections are taken from it; `planMilliseconds`: how long they keep a plan. */
export const toConnections = (
  pool: pg.Pool,
  parts: Parts & { planMilliseconds?: number | undefined },
): PostgresPool => {
  const { watch, planMilliseconds } = parts
  const connections = new WeakMap<pg.PoolClient, Connection>()
  const find = (client: pg.PoolClient): Connection => {
    const known = connections.get(client) ?? new Connection(client, parts)
    connections.set(client, known)
    return known
  }
  return {
    options: pool.options,
    connect: async () => {
      if (watch.isSilent) throw new DatabaseSilent()
      const wait = { since: performance.now() }
      watch.waits.add(wait)
      const client = await pool.connect().finally(() => watch.waits.delete(wait))
      const connection = find(client)
      try {
        if (planMilliseconds !== undefined) await connection.replan(planMilliseconds)
      } catch (error) {
        connection.release(true)
        throw error
      }
      return connection
    },
    end: () => pool.end(),
  }
}

/** Runs statements by themselves, each on a connection that returns to the pool also where its statement is refused. */
export const createRun =
  (connections: PostgresPool) =>
  async <Found>(text: string, values: readonly unknown[]) => {
    const connection = await connections.connect()
    try {
      return await connection.query<Found>(text, values)
    } finally {
      connection.release()
    }
  }

/** The number of statements that a shared connection has under way, and for how long it takes new ones: then it is released. */
const maxSharing = 16
const sharingMilliseconds = 500

/**
 * Runs short statements side by side on one connection, each sent before those ahead of it are answered. That takes about two
 * thirds of the processor time that a connection for each takes, here and in PostgreSQL.
 */
export const createRunShared = (connections: PostgresPool) => {
  type Shared = { connecting: Promise<PostgresPoolClient>; users: number; until: number }
  let current: Shared | undefined
  const join = (): Shared => {
    const now = performance.now()
    if (!current || current.users >= maxSharing || now > current.until)
      current = { connecting: connections.connect(), users: 0, until: now + sharingMilliseconds }
    current.users++
    return current
  }
  const leave = (shared: Shared, connection: PostgresPoolClient | undefined): void => {
    shared.users--
    if (shared.users > 0) return
    if (current === shared) current = undefined
    connection?.release()
  }
  return async <Found>(text: string, values: readonly unknown[]) => {
    const shared = join()
    let connection: PostgresPoolClient | undefined
    try {
      connection = await shared.connecting
      return await connection.query<Found>(text, values)
    } catch (error) {
      // No one else joins a lost connection.
      if (!isAnswer(error) && current === shared) current = undefined
      throw error
    } finally {
      leave(shared, connection)
    }
  }
}
