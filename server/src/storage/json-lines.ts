import { type RawBuilder, sql } from 'kysely'

// Many JSON values of one statement are sent as lines. PostgreSQL parses each once, where it would parse the members of one large
// JSON value twice; and lines need no quoting, as arrays do: JSON.stringify() writes no line end.

/** Joins values that JSON.stringify() made. There is at least one. */
export const toLines = (texts: readonly string[]): string => texts.join('\n')

/** A set of rows with one column: each line as text. */
export const fromLines = (lines: string): RawBuilder<unknown> => sql`string_to_table(${lines}::text, E'\\n')`
