import type { PostgresQueryResult } from 'kysely'

// The types of values, rows and answers that statements exchange with the driver.

/** A value that is sent as it is. The driver converts others, such as objects. */
export type SentValue = string | Buffer | null

export type Row = Record<string, unknown>
export type Answer = PostgresQueryResult<Row>
export type Column = { name: string; parse: (value: string) => unknown }
export type Prepared = { name: string; values: SentValue[]; columns: readonly Column[] }
