import { sql } from 'kysely'
import { toColumnArrays } from '../../../storage/sent-values.ts'
import { type BoundStatement, fromColumns, toBoundStatement } from '../../../storage/statements.ts'
import type { RowChanges } from '../../kernel/versioning/pending-rows.ts'
import { entryType } from '../field-indexes/field-index-queries.ts'
import type { IndexEntry } from '../field-indexes/types.ts'
import type { LinkRow } from '../records/link-rows-queries.ts'

// The tables that follow from the content of a Brain, as they would be after changes that are not written.

type Rows<Row> = Pick<RowChanges<Row>, 'made' | 'ended'>

const linkColumns = { target: 'text', source: 'text', predicate: 'text', from: 'bigint', to: 'bigint' } as const

/** The links of records. */
export const overlayLinks = (brainId: number, { made, ended }: Rows<LinkRow>): BoundStatement<object> => {
  const { from: _from, ...keyColumns } = linkColumns
  const gone = toColumnArrays(keyColumns, ended)
  const end = sql`(select row.to_state from ${fromColumns(keyColumns, gone)} as row (target, source, predicate, to_state)
    where link.to_state is null and row.source = link.source and row.target = link.target and row.predicate = link.predicate)`
  return toBoundStatement(sql<object>`
    select brain_id, target, source, predicate, from_state,
      ${ended.length === 0 ? sql`to_state` : sql`coalesce(link.to_state, ${end}) as to_state`}
    from record_links as link
    union all select ${brainId}::bigint, row.* from ${fromColumns(linkColumns, toColumnArrays(linkColumns, made))} as row`)
}

/** The index entries of fields. */
export const overlayEntries = (brainId: number, { made, ended }: Rows<IndexEntry>): BoundStatement<object> =>
  toBoundStatement(sql<object>`
    select brain_id, kind, field, value, record_id, text, number, at from field_index
    where (kind, field, value, record_id) not in (select kind, field, value, "recordId"
      from json_to_recordset(${JSON.stringify([...made, ...ended])}::json) as row ${entryType})
    union all select ${brainId}::bigint, kind, field, value, "recordId", text, number, at
    from json_to_recordset(${JSON.stringify(made)}::json) as row ${entryType}`)

/** The row of a Brain at another state. */
export const overlayBrain = (brainId: number, stateVersion: number): BoundStatement<object> =>
  toBoundStatement(sql<object>`
    select moved.* from brains as brain
      cross join lateral json_populate_record(brain, json_build_object('state_version', ${stateVersion}::bigint)) as moved
    where brain.brain_id = ${brainId}`)
