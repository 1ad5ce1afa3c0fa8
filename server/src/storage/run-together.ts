import type { PostgresPool, RawBuilder } from 'kysely'
import type pg from 'pg'
import type { Db, RunTogether } from './database.ts'
import { createRun } from './run-statements.ts'

export const createRunTogether = (db: Db, connections: PostgresPool): RunTogether => {
  const run = createRun(connections)
  return async <Found extends object>(settings: readonly RawBuilder<unknown>[], last: RawBuilder<Found>) => {
    const text = [...settings, last].map((statement) => statement.compile(db).sql).join(';\n')
    // The driver returns a list for several statements, which its types do not include.
    const results: unknown = await run<Found>(text, [])
    return (results as pg.QueryResult<Found>[]).at(-1)?.rows ?? []
  }
}
