import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Db, Queryable, ReadSource } from './database.ts'
import { type BoundStatement, toBound } from './statements.ts'

// A database as it would be with other rows in some tables. Each statement that names such a table gets a common table expression of
// the same name in front, so that every read works as it is, and nothing is ever written.

/** The rows of tables, by name: each a select with the columns that reads of the table use. */
export type Overlay = ReadonlyMap<string, BoundStatement<object>>

const shift = (text: string, by: number): string =>
  by === 0 ? text : text.replace(/\$(\d+)/g, (_all, number: string) => `$${Number(number) + by}`)

const names = (text: string, table: string): boolean => new RegExp(`\\b${table}\\b`).test(text)

/** A statement as it reads the tables of an overlay. Those that name none of them are returned as they are. */
const overlayStatement = (
  overlay: Overlay,
  text: string,
  values: readonly unknown[],
): { text: string; values: readonly unknown[] } => {
  const used = [...overlay].filter(([table]) => names(text, table))
  if (used.length === 0) return { text, values }
  const all = [...values]
  const tables = used.map(([table, rows]) => {
    const body = shift(rows.text, all.length)
    all.push(...rows.values)
    return `"${table}" as not materialized (${body})`
  })
  const [, isRecursive = '', rest = ''] = /^\s*with(\s+recursive)?\s([\s\S]*)$/.exec(text) ?? []
  // In a recursive list each name means itself, so the tables are put around the statement.
  if (isRecursive) return { text: `with ${tables.join(', ')} select * from (${text}) as overlaid`, values: all }
  return { text: `with ${tables.join(', ')}${rest === '' ? ` ${text}` : `, ${rest}`}`, values: all }
}

/** A connection of the database behind an overlay, which is released by `done`. */
type Held = DatabaseConnection & { done(): void }

class OverlaidDriver implements Driver {
  readonly #base: Db
  readonly #overlay: Overlay

  constructor(base: Db, overlay: Overlay) {
    this.#base = base
    this.#overlay = overlay
  }
  async init(): Promise<void> {}
  acquireConnection(): Promise<DatabaseConnection> {
    const { promise, resolve, reject } = Promise.withResolvers<Held>()
    const held = (connection: DatabaseConnection) =>
      new Promise<void>((done) => resolve({ ...this.#toOverlaid(connection), done }))
    this.#base.getExecutor().provideConnection(held).catch(reject)
    return promise
  }
  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const { isolationLevel = 'read committed', accessMode = 'read only' } = settings
    await connection.executeQuery(CompiledQuery.raw(`begin isolation level ${isolationLevel} ${accessMode}`))
  }
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }
  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { done } = connection as Held
    done()
  }
  async destroy(): Promise<void> {}

  #toOverlaid(connection: DatabaseConnection): DatabaseConnection {
    return {
      executeQuery: <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
        const { text, values } = overlayStatement(this.#overlay, sql, parameters)
        return connection.executeQuery<Row>(CompiledQuery.raw(text, [...values]))
      },
      streamQuery: () => {
        throw new Error('A database with an overlay streams nothing.')
      },
    }
  }
}

/** A source of reads as it would be with other rows in some tables. It is for reads alone; its connections are those of the source. */
export const overlaySource = (source: ReadSource, overlay: Overlay): ReadSource => {
  const db: Db = new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new OverlaidDriver(source.db, overlay),
      createIntrospector: (own) => new PostgresIntrospector(own),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  return {
    db,
    prepared: async <Row extends object>(statement: Parameters<ReadSource['prepared']>[0], on?: Queryable) => {
      const bound = toBound(statement)
      const { text, values } = overlayStatement(overlay, bound.text, bound.values)
      if (text === bound.text) return source.prepared<Row>(bound as BoundStatement<Row>, on)
      return (await (on ?? source.db).executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
    },
    together: source.together,
  }
}
