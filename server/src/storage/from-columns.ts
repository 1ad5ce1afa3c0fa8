import { type RawBuilder, sql } from 'kysely'
import type { ColumnTypes } from './column-arrays.ts'

/** A set of rows, for a from clause, from an array for each column, in the order of their types. */
export const fromColumns = (types: ColumnTypes, columns: Readonly<Record<string, unknown>>): RawBuilder<unknown> => {
  const arrays = Object.entries(types).map(([name, type]) => sql`${columns[name]}::${sql.raw(type)}[]`)
  return sql`unnest(${sql.join(arrays)})`
}
