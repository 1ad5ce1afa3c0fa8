import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../shared/actor.ts'

/**
 * The actor of a row, from the column of its id and the one that has it whole. An older node writes the id alone, which is
 * a key's, so the id is what counts.
 */
export const actorColumn = (id: RawBuilder<unknown>, actor: RawBuilder<unknown>): RawBuilder<Actor | null> => sql`
  case when ${actor}->>'id' = ${id} then ${actor}
    when ${id} is not null then json_build_object('type', 'key', 'id', ${id}) end`

/** An actor as a column holds it. */
export const actorValue = (actor: Actor | null): RawBuilder<unknown> =>
  sql`${actor === null ? null : JSON.stringify(actor)}::json`
