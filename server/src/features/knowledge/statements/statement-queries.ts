import type { Statement } from '@noema/contracts/statements.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { defineStatement } from '../../../storage/statements.ts'
import { timeText } from '../../kernel/export-lines/export-line-queries.ts'
import { atState, type StateRow } from '../../kernel/state-reads/state-queries.ts'
import { type LoadBudget, type Measured, takeFrom } from '../../kernel/versioning/load-budget.ts'
import { versionsAt } from '../../kernel/versioning/state-page-queries.ts'
import type { Version } from '../../kernel/versioning/types.ts'
import { contentSize, selectWithin } from '../../kernel/versioning/version-columns-queries.ts'
import { defineVersionTable, validAt } from '../../kernel/versioning/version-store.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter, type ListedRows } from '../../platform/cursors/page-queries.ts'

/**
 * A version of a statement as it was asserted. Its number and its retraction are stored next to it: `asOf` reads show the
 * knowledge of that time.
 */
export type AssertedStatement = Omit<Statement, 'version' | 'retractedAt' | 'retraction'>
type Retraction = { at: string; stateVersion: number; change: string; reason: string | null }

export type StatementVersion = Version<AssertedStatement> & {
  identity: string
  retraction: Retraction | null
}

/** A version ends by the next one, or by the retraction of its statement. */
const endedChange = sql`coalesce(retraction->>'change', ended_change)`

const readIdentity = sql`encode(identity, 'hex')`

export const statementTable = defineVersionTable<StatementVersion>({
  type: 'statement',
  table: 'statements',
  columns: {
    identity: { type: 'text', read: readIdentity, write: sql`decode(identity, 'hex')` },
    subject_id: { type: 'text' },
    predicate: { type: 'text' },
    valid_from: { type: 'timestamptz' },
    valid_to: { type: 'timestamptz' },
  },
  toColumns: ({ identity, content: { subject, predicate, validFrom, validTo } }) => ({
    ...{ identity, predicate },
    ...{ subject_id: subject.id, valid_from: validFrom, valid_to: validTo },
  }),
  ending: {
    name: 'retraction',
    columns: {
      retraction: { type: 'json' },
      ended_at: { type: 'timestamptz' },
      ended_change: { type: 'text' },
    },
    toColumns: ({ retraction, endedAt, endedChange }: StatementVersion) =>
      retraction ? { retraction } : { retraction: null, ended_at: endedAt, ended_change: endedChange },
    change: endedChange,
    json: sql`retraction::text`,
  },
  beside: sql`|| ',"version":' || version || case when ended_change is null then '' else ',"ended":' ||
    row_to_json((select ended from (select to_state as "stateVersion", ${timeText(sql`ended_at`)} as at,
      ended_change as change) as ended))::text end`,
})

const item = sql`statement`
const selectColumns = ({ left }: LoadBudget) => sql`id, version, ${readIdentity} as identity, from_state as "fromState",
  to_state as "toState", ${endedChange} as "endedChange", retraction,
  ${selectWithin(left, contentSize(item), { content: item })}`

type Said = Pick<AssertedStatement, 'id' | 'predicate'> & {
  subject: string
  /** The record that is its object, or the start of its value as text. */
  object: string | null
  value: string | null
}

/** Selects the content of the newest versions of statements, as far as their names need it. */
export const selectSaid = async (db: Queryable, brainId: number, ids: readonly string[]): Promise<Said[]> => {
  if (ids.length === 0) return []
  const { rows } = await sql<Said>`
    select newest.id, newest.predicate, newest.subject_id as subject,
      newest.statement->'object'->'record'->>'id' as object, left(newest.statement->'object'->>'value', 200) as value
    from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
      select id, predicate, subject_id, statement from statements
      where brain_id = ${brainId} and id = requested.id order by version desc limit 1) as newest
    order by newest.id`.execute(db)
  return rows
}

/** Selects the newest versions of statements: by id, by their identity (live ones), or about these records (live ones). */
export const selectStatements = async (
  tx: Queryable,
  brainId: number,
  requested: { ids: readonly string[]; identities: readonly string[]; subjects: readonly string[] },
  budget: LoadBudget,
) => {
  const { rows } = await sql<Measured<StatementVersion>>`
    select ${selectColumns(budget)} from (
      select unnest(${[...requested.ids]}::text[]) as named
      union select id from statements where brain_id = ${brainId} and to_state is null
        and identity = any(select decode(hex, 'hex') from unnest(${[...requested.identities]}::text[]) as hex)
      union select id from statements where brain_id = ${brainId} and to_state is null
        and subject_id = any(${[...requested.subjects]})) as requested
    cross join lateral (select * from statements where brain_id = ${brainId} and id = requested.named
      order by from_state desc, version desc limit 1) as newest`.execute(tx)
  return takeFrom(budget, rows)
}

/** Live statements by and about a record, the first of them by id. */
export const selectTouching = async (
  db: Queryable,
  brainId: number,
  { record, limit, budget }: { record: string; limit: number; budget: LoadBudget },
): Promise<readonly StatementVersion[]> => {
  const { rows } = await sql<Measured<StatementVersion>>`
    select ${selectColumns(budget)} from (
      (select * from statements where brain_id = ${brainId} and subject_id = ${record} and to_state is null
        order by id limit ${limit})
      union all
      (select * from statements where brain_id = ${brainId} and statement #>> '{object,record,id}' = ${record}
        and to_state is null and subject_id <> ${record} order by id limit ${limit})) as touching
    order by id limit ${limit}`.execute(db)
  return takeFrom(budget, rows)
}

/** Selects which of these identities live statements have. */
export const selectLiveIdentities = async (
  db: Queryable,
  brainId: number,
  identities: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (identities.length === 0) return new Set()
  const { rows } = await sql<{ identity: string }>`select ${readIdentity} as identity from statements
    where brain_id = ${brainId} and to_state is null
      and identity = any(select decode(hex, 'hex') from unnest(${[...identities]}::text[]) as hex)`.execute(db)
  return new Set(rows.map(({ identity }) => identity))
}

/** The statements about these records that were retracted in a state: those that a deletion took along. */
export const selectRetractedBy = async (
  db: Queryable,
  brainId: number,
  subjects: readonly string[],
  { stateVersion, budget }: { stateVersion: number; budget: LoadBudget },
): Promise<readonly StatementVersion[]> => {
  if (subjects.length === 0) return []
  const { rows } = await sql<Measured<StatementVersion>>`select ${selectColumns(budget)} from statements
    where brain_id = ${brainId} and subject_id = any(${[...subjects]}) and to_state = ${stateVersion}
      and retraction is not null`.execute(db)
  return takeFrom(budget, rows)
}

/** A statement between two records; about one alone if its object is a value. */
export type RelatingStatement = { of: string; id: string; subject: string; predicate: string; object: string | null }

/** Live statements about these records at a state, the first of each as subject and as object, by id. */
export const selectRelatingStatements = async (
  db: Queryable,
  brainId: number,
  ids: readonly string[],
  { asOf, limit }: { asOf: number; limit: number },
): Promise<RelatingStatement[]> => {
  const object = sql`statement #>> '{object,record,id}'`
  // Values are filtered by who reads this: a record may be the subject of any number of statements that have one.
  const { rows } = await sql<RelatingStatement>`
    select requested.id as of, about.* from unnest(${[...ids]}::text[]) as requested (id) cross join lateral (
      (select id, subject_id as subject, predicate, ${object} as object from statements
        where brain_id = ${brainId} and subject_id = requested.id and ${validAt(asOf)} order by id limit ${limit})
      union all
      (select id, subject_id, predicate, ${object} from statements
        where brain_id = ${brainId} and ${object} = requested.id and ${validAt(asOf)} order by id limit ${limit})
    ) as about`.execute(db)
  return rows
}

/** The statements that a read shows: live ones, or on request retracted ones, now or as of a state. */
export type Moment = { asOf?: number | undefined; retracted?: boolean | undefined }

const shownAt = ({ asOf, retracted }: Moment) => {
  if (!retracted) return validAt(asOf)
  return asOf === undefined ? sql`retraction is not null` : sql`retraction is not null and to_state <= ${asOf}`
}

const shown = (retracted: boolean | undefined) =>
  retracted
    ? sql`left(statement::text, -1) || ',"version":' || version || ',"retractedAt":' || (retraction->'at')::text || ',"retraction":' ||
        json_build_object('stateVersion', to_state, 'change', retraction->'change', 'reason', retraction->'reason')::text || '}'`
    : sql`left(statement::text, -1) || ',"version":' || version || ',"retractedAt":null,"retraction":null}'`

/** One statement with its retraction. */
export const statementById = defineStatement<{ brainId: number; id: string } & Required<Moment>, StateRow>(
  ({ brainId, id, ...moment }) =>
    atState(
      brainId,
      sql`select id as place, ${shown(moment.retracted)} as json from statements
      where brain_id = ${brainId} and id = ${id} and ${shownAt(moment)}`,
    ),
  { optional: ['asOf'], fixed: { retracted: [true, false] } },
)

type Filter = Moment & {
  subject?: string | undefined
  predicate?: string | undefined
  /** The id of the record that is the object. */
  object?: string | undefined
  validAt?: string | undefined
}

/** Statements by id, with their retractions. A page as of a state may stop before it is full. */
export const listedStatements = (brainId: number, filter: Filter, page: PageRequest<string>): ListedRows => {
  const { subject, predicate, object, validAt: time, asOf, retracted } = filter
  const among = sql`true
    ${subject === undefined ? sql`` : sql`and subject_id = ${subject}`}
    ${predicate === undefined ? sql`` : sql`and predicate = ${predicate}`}
    ${object === undefined ? sql`` : sql`and statement #>> '{object,record,id}' = ${object}`}`
  const asked =
    time === undefined
      ? sql`true`
      : sql`(valid_from is null or valid_from <= ${time}) and (valid_to is null or valid_to > ${time})`
  const columns = sql`version, statement, retraction, to_state`
  const read = { size: sql`pg_column_size(statement)`, json: shown(retracted) }
  if (asOf !== undefined && !retracted) {
    const listed = { table: statementTable.name, brainId, asOf, columns, among, asked }
    return { rows: versionsAt(listed, page), ...read, beside: sql`stopped` }
  }
  const rows = sql`select id as place, ${columns} from statements
    where brain_id = ${brainId} and ${isAfter(sql`id`, page)} and ${shownAt(filter)} and ${among} and ${asked}
    ${inOrder(sql`id`, page)} limit ${page.limit}`
  return { rows, ...read }
}
