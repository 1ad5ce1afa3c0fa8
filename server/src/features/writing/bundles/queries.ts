import type { SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { sql } from 'kysely'
import type { Tx } from '../../../storage/database.ts'
import type { LinePage } from '../../kernel/export-lines/types.ts'
import { validAt } from '../../kernel/versioning/version-store.ts'
import { toRecordPath } from './paths.ts'

// Pages of content at a state, as lines of JSON.

export type Part = {
  kinds: readonly string[] | undefined
  sources: readonly string[] | undefined
  asOf: number | undefined
}

const isAfter = (after: LinePage['after']) => (after === undefined ? sql`true` : sql`id > ${after[0]}`)

export const recordLines =
  ({ kinds, asOf }: Part) =>
  ({ brainId, after, take }: LinePage) =>
    sql`
    select array[id] as key, record::text as line from record_versions
    where brain_id = ${brainId} and ${validAt(asOf)} and ${isAfter(after)}
      and ${kinds === undefined ? sql`true` : sql`kind = any(${[...kinds]}::text[])`}
    order by id limit ${take}`

/** Statements about some records, in the order of these. */
export const statementLines =
  ({ asOf }: Part, subjects: readonly string[]) =>
  ({ brainId, after, take }: LinePage) =>
    sql`
    select array[subject_id, id] as key, json_build_object('statement', statement, 'version', version)::text as line
    from statements where brain_id = ${brainId} and subject_id = any(${[...subjects]}::text[]) and ${validAt(asOf)}
      and ${after === undefined ? sql`true` : sql`(subject_id, id) > (${after[0]}, ${after[1]})`}
    order by subject_id, id limit ${take}`

export const documentLines =
  ({ sources, asOf }: Part) =>
  ({ brainId, after, take }: LinePage) =>
    sql`
    select array[id] as key, json_build_object('document', document, 'text', text)::text as line from document_versions
    where brain_id = ${brainId} and ${validAt(asOf)} and ${isAfter(after)}
      and ${sources === undefined ? sql`true` : sql`source_name = any(${[...sources]}::text[])`}
    order by id limit ${take}`

/** The most records whose addresses are read for the links of a page. */
const maxTargets = 5_000

/** The paths of records by id. */
export const selectPaths = async (
  tx: Tx,
  brainId: number,
  ids: readonly string[],
  { kinds, asOf }: Part,
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; kind: string; slug: string | null }>`
    select id, kind, slug from record_versions
    where brain_id = ${brainId} and id = any(${ids.slice(0, maxTargets)}::text[]) and ${validAt(asOf)}
      and ${kinds === undefined ? sql`true` : sql`kind = any(${[...kinds]}::text[])`}
    order by id limit ${maxTargets}`.execute(tx)
  return new Map(rows.map((row) => [row.id, toRecordPath(row)]))
}

/** The kinds that a Brain declared at a state. */
export const selectKindsAt = async (tx: Tx, brainId: number, state: number): Promise<SchemaKind[]> => {
  const { rows } = await sql<{ kinds: SchemaKind[] }>`
    select version.kinds from brain_schemas as version
      left join changes as made on made.brain_id = version.brain_id and made.id = version.change
    where version.brain_id = ${brainId} and coalesce(made.state_version, 0) <= ${state}
    order by version.schema_version desc limit 1`.execute(tx)
  return rows[0]?.kinds ?? []
}

export type LoggedChange = { id: string; at: string; reason: string | null; items: number }

const maxLogged = 500

/** The newest changes that were applied up to a state. */
export const selectLog = async (tx: Tx, brainId: number, state: number): Promise<LoggedChange[]> => {
  const { rows } = await sql<LoggedChange>`
    select id, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as at, left(reason, 300) as reason,
      json_array_length(items) as items
    from changes where brain_id = ${brainId} and state_version <= ${state}
    order by state_version desc limit ${maxLogged}`.execute(tx)
  return rows
}
