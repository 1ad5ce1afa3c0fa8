import type { Statement } from '@noema/contracts/statements.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { LinePage } from '../versioning/export-pages.ts'
import { validAt } from '../versioning/versions.ts'

/** A statement as it was asserted; the retraction is kept beside it, so that `asOf` reads show what was known then. */
export type AssertedStatement = Omit<Statement, 'retractedAt' | 'retraction'>
export type Retraction = { at: string; stateVersion: number; change: string; reason: string | null }

export type StatementRow = {
  id: string
  identity: string
  fromState: number
  toState: number | null
  statement: AssertedStatement
  retraction: Retraction | null
}

const columns = sql`id, encode(identity, 'hex') as identity, from_state as "fromState", to_state as "toState", statement, retraction`

/** Statements by id, by what they say (live ones), or about these records (live ones). */
export const selectStatements = async (
  tx: Queryable,
  brainId: number,
  wanted: { ids: readonly string[]; identities: readonly string[]; subjects: readonly string[] },
) => {
  const { rows } = await sql<StatementRow>`
    select ${columns} from statements where brain_id = ${brainId} and id in (
      select unnest(${[...wanted.ids]}::text[])
      union select id from statements where brain_id = ${brainId} and to_state is null
        and identity = any(select decode(hex, 'hex') from unnest(${[...wanted.identities]}::text[]) as hex)
      union select id from statements where brain_id = ${brainId} and to_state is null
        and subject_id = any(${[...wanted.subjects]}))`.execute(tx)
  return rows
}

/** The statements about these records that ended in a state: those that a deletion took along. */
export const selectRetractedBy = async (
  db: Queryable,
  brainId: number,
  subjects: readonly string[],
  stateVersion: number,
): Promise<StatementRow[]> => {
  if (subjects.length === 0) return []
  const { rows } = await sql<StatementRow>`select ${columns} from statements
    where brain_id = ${brainId} and subject_id = any(${[...subjects]}) and to_state = ${stateVersion}`.execute(db)
  return rows
}

/** Where these statements stand: version 1 while they are live, null once retracted, and the change that made it so. */
export const selectStatementStandings = async (db: Queryable, brainId: number, ids: readonly string[]) => {
  const { rows } = await sql<{ id: string; version: number | null; change: string }>`
    select id, case when to_state is null then 1 end as version,
      coalesce(retraction->>'change', statement->'provenance'->>'change') as change
    from statements where brain_id = ${brainId} and id = any(${[...ids]})`.execute(db)
  return rows
}

/** Ends statements that were live before. */
export const retractStatements = (tx: Queryable, brainId: number, rows: readonly StatementRow[]) =>
  sql`
  update statements as live set to_state = ended."toState", retraction = ended.retraction
  from json_to_recordset(${JSON.stringify(rows.map(({ id, toState, retraction }) => ({ id, toState, retraction })))}::json)
    as ended (id text, "toState" bigint, retraction json)
  where live.brain_id = ${brainId} and live.id = ended.id`.execute(tx)

/** Inserts new statements, as one part of the statement that lands them. */
export const insertStatements = (brainId: number, rows: readonly StatementRow[]): RawBuilder<unknown> => {
  const records = rows.map(({ statement, ...row }) => ({
    ...row,
    subject_id: statement.subject.id,
    predicate: statement.predicate,
    valid_from: statement.validFrom,
    valid_to: statement.validTo,
    statement,
  }))
  return sql`
    insert into statements (brain_id, id, identity, subject_id, predicate, valid_from, valid_to, from_state, to_state, statement, retraction)
    select ${brainId}::bigint, id, decode(identity, 'hex'), subject_id, predicate, valid_from, valid_to, "fromState", "toState", statement, retraction
    from json_to_recordset(${JSON.stringify(records)}::json)
      as row (id text, identity text, subject_id text, predicate text, valid_from timestamptz, valid_to timestamptz,
        "fromState" bigint, "toState" bigint, statement json, retraction json)`
}

/** Which statements a read shows: live ones, or retracted ones when asked, now or as of a state. */
export type Moment = { asOf?: number | undefined; retracted?: boolean | undefined }

const shownAt = ({ asOf, retracted }: Moment) => {
  if (!retracted) return validAt(asOf)
  return asOf === undefined ? sql`to_state is not null` : sql`to_state <= ${asOf}`
}

const shown = (retracted: boolean | undefined) =>
  retracted
    ? sql`left(statement::text, -1) || ',"retractedAt":' || (retraction->'at')::text || ',"retraction":' ||
        json_build_object('stateVersion', to_state, 'change', retraction->'change', 'reason', retraction->'reason')::text || '}'`
    : sql`left(statement::text, -1) || ',"retractedAt":null,"retraction":null}'`

/** One statement with its retraction. */
export const statementById = (brainId: number, id: string, moment: Moment): RawBuilder<unknown> => sql`
  select id as place, ${shown(moment.retracted)} as json from statements
  where brain_id = ${brainId} and id = ${id} and ${shownAt(moment)}`

type Filter = Moment & { subject?: string | undefined; predicate?: string | undefined; validAt?: string | undefined }

/** Statements by id after one, with their retractions. */
export const statementsAfter = (
  brainId: number,
  filter: Filter,
  after: string | number,
  take: number,
): RawBuilder<unknown> => {
  const { subject, predicate, validAt } = filter
  return sql`
    select id as place, ${shown(filter.retracted)} as json from statements
    where brain_id = ${brainId} and id > ${after} and ${shownAt(filter)}
      ${subject === undefined ? sql`` : sql`and subject_id = ${subject}`}
      ${predicate === undefined ? sql`` : sql`and predicate = ${predicate}`}
      ${validAt === undefined ? sql`` : sql`and (valid_from is null or valid_from <= ${validAt}) and (valid_to is null or valid_to > ${validAt})`}
    order by id limit ${take}`
}

/** Statements as lines of an export: all, or the live ones. */
export const statementLines = ({ brainId, after = [''], take, history }: LinePage): RawBuilder<unknown> => sql`
  select array[id] as key, '{"statement":' || statement::text ||
    case when retraction is null then '' else ',"retraction":' || retraction::text end || '}' as line from statements
  where brain_id = ${brainId} and id > ${after[0]} ${history ? sql`` : sql`and to_state is null`}
  order by id limit ${take}`
