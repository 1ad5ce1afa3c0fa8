import type { PostgresQueryResult } from 'kysely'
import pg from 'pg'

/** A value that is sent as it is. The driver converts others, such as objects. */
export type SentValue = string | Buffer | null

export const areSent = (values: readonly unknown[]): values is SentValue[] =>
  values.every((value) => typeof value === 'string' || value === null || Buffer.isBuffer(value))

/** A column of a statement's rows. */
export type Column = { name: string; parse: (value: string) => unknown }

export type Row = Record<string, unknown>

export type Answer = PostgresQueryResult<Row>

type Prepared = { name: string; values: SentValue[]; columns: readonly Column[] }
type Socket = pg.Connection['stream']

const sendCorked = (socket: Socket): void => socket.uncork()

/** Gathers the statements that are sent before the event loop goes on, so that one system call sends all of them. */
const gatherWrites = (socket: Socket): void => {
  if (socket.writableCorked > 0) return
  socket.cork()
  process.nextTick(sendCorked, socket)
}

/**
 * One execution of a statement that this connection has prepared. Its columns are known since then, so PostgreSQL does not
 * describe them and the driver does not read their description again. The driver calls this as it calls its own queries.
 */
export class Execution implements pg.Submittable {
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

// In pipeline mode the driver refuses queries of other classes than its own, because such ones usually keep a portal open. This
// one keeps none: it sends what the driver's own query sends, without the description.
Object.setPrototypeOf(Execution.prototype, pg.Query.prototype)
