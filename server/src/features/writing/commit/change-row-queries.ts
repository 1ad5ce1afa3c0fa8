import { type RawBuilder, sql } from 'kysely'
import { fromLines } from '../../../storage/json-lines.ts'
import { type ColumnTypes, toColumnArrays } from '../../../storage/sent-values.ts'
import { defineStatement, fromColumns, type Statement } from '../../../storage/statements.ts'
import type { StoredChange } from './change-store.ts'

// Changes as the rows of the statement that commits them: an array for each column.

/** The columns of every change. */
const commonColumns = {
  id: 'text',
  decision: 'text',
  application: 'text',
  baseState: 'bigint',
  stateVersion: 'bigint',
  createdAt: 'timestamptz',
  submittedBy: 'text',
  submittedByUser: 'text',
  submittedByActor: 'json',
} satisfies ColumnTypes

/** Columns that are null in changes which were applied at once. Most batches have no others, and send none of these. */
const rareColumns = {
  reason: 'text',
  corrects: 'text',
  supersedes: 'text',
  decidedBy: 'json',
  decidedAt: 'timestamptz',
  decisionReason: 'text',
  publishAt: 'timestamptz',
  blockedBy: 'text',
  writeHash: 'text',
  trace: 'text',
  comments: 'json',
} satisfies ColumnTypes & Partial<Record<keyof StoredChange, string>>
const rareNames = Object.keys(rareColumns) as (keyof typeof rareColumns)[]

/** An array for each column, and the items as lines. */
type BoundRows = { brainId: number; items: string; [column: string]: unknown }

const toCommon = ({ id, decision, application, baseState, stateVersion, createdAt, stagedBy }: StoredChange) => ({
  ...{ id, decision, application, baseState, stateVersion, createdAt },
  submittedBy: stagedBy.id,
  submittedByUser: stagedBy.userId,
  submittedByActor: stagedBy.type === 'key' && stagedBy.line === undefined ? null : stagedBy,
})

const refs = (types: ColumnTypes) => sql.join(Object.keys(types).map((name) => sql.ref(name)))

/** The changes of a statement as rows. */
const fromRows = ({ items, ...columns }: BoundRows) => {
  const common = fromColumns(commonColumns, columns)
  if (columns.reason !== undefined)
    return sql`rows from (${common}, ${fromColumns(rareColumns, columns)}, ${fromLines(items)})
      as row (${refs(commonColumns)}, ${refs(rareColumns)}, items)`
  const none = Object.entries(rareColumns).map(([name, type]) => sql`null::${sql.raw(type)} as ${sql.ref(name)}`)
  return sql`(select *, ${sql.join(none)} from rows from (${common}, ${fromLines(items)})
    as common (${refs(commonColumns)}, items)) as row`
}

/** A statement over changes; where some have rare columns, it is another one. */
const defineOverChanges = (build: (rows: BoundRows) => RawBuilder<object>) => {
  const [common, whole] = [defineStatement(build), defineStatement(build)]
  return (brainId: number, changes: readonly StoredChange[]): Statement => {
    const items = changes.map(({ items }) => JSON.stringify(items)).join('\n')
    const rows = { ...toColumnArrays(commonColumns, changes.map(toCommon)), brainId, items }
    const hasRare = changes.some((change) => rareNames.some((name) => (change[name] ?? null) !== null))
    return hasRare ? whole({ ...rows, ...toColumnArrays(rareColumns, changes) }) : common(rows)
  }
}

/** Inserts changes, as one part of the statement that commits them. */
export const insertChanges = defineOverChanges(
  ({ brainId, ...bound }) => sql`
  insert into changes (brain_id, organization_id, id, decision, application, submitted_by, submitted_by_user, submitted_by_actor, reason,
    corrects, supersedes, base_state, state_version, items, decided_by, decided_by_actor, decided_at, decision_reason,
    publish_at, blocked_by, write_hash, trace, comments, created_at)
  select ${brainId}::bigint, (select organization_id from brains where brain_id = ${brainId}::bigint), id, decision, application,
    "submittedBy", "submittedByUser", "submittedByActor",
    reason, corrects, supersedes, "baseState", "stateVersion", items::json, "decidedBy"->>'id', "decidedBy", "decidedAt",
    "decisionReason", "publishAt", "blockedBy", decode("writeHash", 'hex'), decode(trace, 'hex'), comments, "createdAt"
  from ${fromRows({ brainId, ...bound })}`,
)

/** Updates changes, as one part of the statement that commits them. */
export const updateChanges = defineOverChanges(
  ({ brainId, ...bound }) => sql`
  update changes as change set decision = row.decision, application = row.application, base_state = row."baseState",
    state_version = row."stateVersion", items = row.items::json, decided_by = row."decidedBy"->>'id', decided_by_actor = row."decidedBy",
    decided_at = row."decidedAt",
    decision_reason = row."decisionReason", publish_at = row."publishAt", blocked_by = row."blockedBy",
    trace = decode(row.trace, 'hex'), write_hash = decode(row."writeHash", 'hex')
  from ${fromRows({ brainId, ...bound })}
  where change.brain_id = ${brainId}::bigint and change.id = row.id`,
)
