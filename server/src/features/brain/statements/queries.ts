import type { Statement } from '@noema/contracts/statements.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { inOrder, isAfter, type ListedRows, type PageRequest } from '../../platform/cursors/cursors.ts'
import type { Version } from '../versioning/types.ts'
import { defineVersionTable, validAt } from '../versioning/versioning.ts'

/** A statement as it was asserted; the retraction is kept beside it, so that `asOf` reads show what was known then. */
export type AssertedStatement = Omit<Statement, 'retractedAt' | 'retraction'>
type Retraction = { at: string; stateVersion: number; change: string; reason: string | null }

export type StatementVersion = Version<AssertedStatement> & {
  identity: string
  retraction: Retraction | null
}

const readIdentity = sql`encode(identity, 'hex')`

export const statementTable = defineVersionTable<StatementVersion>({
  type: 'statement',
  table: 'statements',
  isNumbered: false,
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
    columns: { retraction: { type: 'json', read: sql`retraction` } },
    toColumns: ({ retraction }: StatementVersion) => ({ retraction }),
    change: sql`retraction->>'change'`,
    json: sql`retraction::text`,
  },
})

const columns = sql`id, 1 as version, ${readIdentity} as identity, from_state as "fromState", to_state as "toState",
  retraction->>'change' as "endedChange", retraction, statement as content`

/** Statements by id, by what they say (live ones), or about these records (live ones). */
export const selectStatements = async (
  tx: Queryable,
  brainId: number,
  wanted: { ids: readonly string[]; identities: readonly string[]; subjects: readonly string[] },
) => {
  const { rows } = await sql<StatementVersion>`
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
): Promise<StatementVersion[]> => {
  if (subjects.length === 0) return []
  const { rows } = await sql<StatementVersion>`select ${columns} from statements
    where brain_id = ${brainId} and subject_id = any(${[...subjects]}) and to_state = ${stateVersion}`.execute(db)
  return rows
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

type Filter = Moment & {
  subject?: string | undefined
  predicate?: string | undefined
  /** The id of the record that is the object. */
  object?: string | undefined
  validAt?: string | undefined
}

/** Statements by id, with their retractions. */
export const listedStatements = (brainId: number, filter: Filter, page: PageRequest<string>): ListedRows => {
  const { subject, predicate, object, validAt } = filter
  const rows = sql`select id as place, statement, retraction, to_state from statements
    where brain_id = ${brainId} and ${isAfter(sql`id`, page)} and ${shownAt(filter)}
      ${subject === undefined ? sql`` : sql`and subject_id = ${subject}`}
      ${predicate === undefined ? sql`` : sql`and predicate = ${predicate}`}
      ${object === undefined ? sql`` : sql`and statement #>> '{object,record,id}' = ${object}`}
      ${validAt === undefined ? sql`` : sql`and (valid_from is null or valid_from <= ${validAt}) and (valid_to is null or valid_to > ${validAt})`}
    ${inOrder(sql`id`, page)} limit ${page.limit}`
  return { rows, size: sql`pg_column_size(statement)`, json: shown(filter.retracted) }
}
