import { type RawBuilder, sql } from 'kysely'
import { notFound } from '../../../shared/errors.ts'
import type { Db, Queryable } from '../../../storage/database.ts'
import type { BrainRow } from '../brains/brains.ts'
import { type SelectLines, timeText } from './export-pages.ts'
import { readPageOf } from './reading.ts'

// What is kept as versions, each in a row of its feature's table, is ended, read as of a state and exported alike.

/** A version of a thing: valid from one Brain state up to, not including, another (null while current). */
export type Version = {
  id: string
  version: number
  fromState: number
  toState: number | null
  endedAt: string | null
  endedChange: string | null
}

/** Where a feature keeps versions: its table, the column of the thing as it is answered, and the one that tells it is gone. */
type VersionTable = { table: string; thing: string; gone: string }

/** The condition that a version is valid: now, or as of a state. */
export const validAt = (asOf: number | undefined) =>
  asOf === undefined ? sql`to_state is null` : sql`from_state <= ${asOf} and (to_state is null or to_state > ${asOf})`

/** The newest version of each of these things, as `newest` to select from. */
export const newestOf = ({ table }: VersionTable, brainId: number, ids: readonly string[]) => sql`
  unnest(${[...ids]}::text[]) as wanted (id)
  cross join lateral (select * from ${sql.table(table)} where brain_id = ${brainId} and id = wanted.id
    order by from_state desc, version desc limit 1) as newest`

/** Numbered versions of things, as `numbered` to select from. */
export const numberedOf = (
  { table }: VersionTable,
  brainId: number,
  wanted: readonly { id: string; version: number }[],
) => sql`
  json_to_recordset(${JSON.stringify(wanted)}::json) as wanted (id text, version integer)
  join ${sql.table(table)} as numbered on numbered.brain_id = ${brainId} and numbered.id = wanted.id
    and numbered.version = wanted.version`

/** Where things stand: the version that is live, null where none is, and the change that made it so. */
export const selectVersionStandings = async (
  db: Queryable,
  brainId: number,
  { ids, ...table }: VersionTable & { ids: readonly string[] },
) => {
  const { rows } = await sql<{ id: string; version: number | null; change: string }>`
    select newest.id, case when to_state is null then newest.version end as version,
      coalesce(ended_change, ${sql.ref(table.thing)}->'provenance'->>'change') as change
    from ${newestOf(table, brainId, ids)}`.execute(db)
  return rows
}

/** Ends versions that were current before. */
export const endVersions = (
  tx: Queryable,
  brainId: number,
  { table, gone, rows }: VersionTable & { rows: readonly Version[] },
) =>
  sql`
  update ${sql.table(table)} as version set to_state = ended."toState", ${sql.ref(gone)} = ended.${sql.ref(gone)},
    ended_at = ended."endedAt", ended_change = ended."endedChange"
  from json_to_recordset(${JSON.stringify(rows)}::json) as ended (id text, version integer, "fromState" bigint,
    "toState" bigint, ${sql.ref(gone)} boolean, "endedAt" timestamptz, "endedChange" text)
  where version.brain_id = ${brainId} and version.id = ended.id and version.from_state = ended."fromState"
    and version.version = ended.version`.execute(tx)

/** What ended a version, as JSON text; null while it is current. */
export const endedJson = ({ gone }: VersionTable) => sql`case when to_state is not null then
  row_to_json((select ended from (select to_state as "stateVersion", ${timeText(sql`ended_at`)} as at,
    ended_change as change, ${sql.ref(gone)}) as ended))::text end`

/** Versions as lines of an export: every one, or the current ones. `line` begins an object, to which what ended it is added. */
export const linesOf =
  (table: VersionTable, line: RawBuilder<unknown>): SelectLines =>
  ({ brainId, after: [id, fromState, version] = ['', '0', '0'], take, history }) => {
    const select = sql`as key, ${line} || coalesce(',"ended":' || ${endedJson(table)}, '') || '}' as line
      from ${sql.table(table.table)} where brain_id = ${brainId}`
    return history
      ? sql`select array[id, from_state::text, version::text] ${select}
          and (id, from_state, version) > (${id}, ${fromState}::bigint, ${version}::integer)
          order by id, from_state, version limit ${take}`
      : sql`select array[id] ${select} and to_state is null and id > ${id} order by id limit ${take}`
  }

type History = { table: VersionTable; id: string; json: RawBuilder<unknown>; list: string }

/** A page of a thing's versions, oldest first, each as `json` shows it. */
export const readHistory = async (
  db: Db,
  brain: BrainRow,
  { table: { table, thing }, id, json, list }: History,
  query: { after?: string | undefined; limit: number },
): Promise<string> => {
  const page = await readPageOf(
    db,
    brain,
    { list, name: 'versions', start: 0 },
    query,
    (after, take) => sql`
      select version as place, ${json} as json from ${sql.table(table)}
      where brain_id = ${brain.brainId} and id = ${id} and version > ${after} order by version limit ${take}`,
  )
  if (query.after === undefined && page.startsWith('{"versions":[]'))
    throw notFound(`There has never been a ${thing} ${JSON.stringify(id)}.`)
  return page
}
