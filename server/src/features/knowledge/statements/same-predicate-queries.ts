import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** A statement whose predicate is looked up, at a time in the world. `own`: its id, where it must still be live. */
export type Assertion = {
  brainId: number
  place: number
  own: string | null
  subject: string
  predicate: string
  validFrom: string | null
  validTo: string | null
}

/** A live statement with the subject and the predicate of one that was looked up, valid at some time that it is valid. */
export type SamePredicate = {
  place: number
  id: string
  identity: string
  validFrom: string | null
  /** The id of the record that is its object. */
  record: string | null
}

/** Statements of one subject and predicate that are looked at, the newest ones, and those that are returned. */
const maxExamined = 200
const maxReturned = 20

/** Live statements with the subject and predicate of these, and valid at a time at which those are. */
export const selectSamePredicate = async (
  db: Queryable,
  assertions: readonly Assertion[],
): Promise<SamePredicate[]> => {
  if (assertions.length === 0) return []
  // A select for each Brain, because Brains may be on different servers.
  const selects = [...Map.groupBy(assertions, ({ brainId }) => brainId)].map(
    ([brainId, some]) => sql`
    select asked.place, other.id, encode(other.identity, 'hex') as identity, other."validFrom", other.record
    from json_to_recordset(${JSON.stringify(some)}::json) as asked (place integer, own text, subject text,
      predicate text, "validFrom" timestamptz, "validTo" timestamptz)
    cross join lateral (
      select id, identity, statement->>'validFrom' as "validFrom", statement #>> '{object,record,id}' as record
      from (select id, identity, statement, valid_from, valid_to from statements
        where brain_id = ${brainId} and subject_id = asked.subject and predicate = asked.predicate and to_state is null
        order by id desc limit ${maxExamined}) as newest
      where id is distinct from asked.own
        and (valid_to is null or asked."validFrom" is null or valid_to > asked."validFrom")
        and (asked."validTo" is null or valid_from is null or asked."validTo" > valid_from)
      order by id desc limit ${maxReturned}) as other
    where asked.own is null or exists (
      select 1 from statements where brain_id = ${brainId} and id = asked.own and to_state is null)`,
  )
  const { rows } = await sql<SamePredicate>`${sql.join(selects, sql` union all `)}`.execute(db)
  return rows
}
