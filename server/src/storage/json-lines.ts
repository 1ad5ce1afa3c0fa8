import { type RawBuilder, sql } from 'kysely'

// Many JSON values of one statement are sent as lines. PostgreSQL parses each once, where it would parse the members of one large
// JSON value twice; and lines need no quoting, as arrays do: JSON.stringify() writes no line end.

/** A set of rows with one column: each line as text. There is at least one line. */
export const fromLines = (lines: string): RawBuilder<unknown> => sql`string_to_table(${lines}::text, E'\\n')`
