import type { BrainRecord } from '@noema/contracts/records.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import { toColumnArrays } from '../../../storage/sent-values.ts'
import { defineStatement, fromColumns, type Statement } from '../../../storage/statements.ts'
import type { RowChanges, RowStatements } from '../../kernel/versioning/pending-rows.ts'
import type { History, VersionWrites } from '../../kernel/versioning/version-writes.ts'
import type { RecordVersion } from './record-queries.ts'

// The links of records, by their targets. A link is there from one state to another, over any versions of its record that have it.
// The commit that writes versions of records writes the rows of their links.

/** The row of a link: `from` and `to` are the states in which it began and ended; `to` is null while it is there. */
export type LinkRow = { source: string; target: string; predicate: string; from: number; to: number | null }

const madeColumns = { target: 'text', source: 'text', predicate: 'text', from: 'bigint', to: 'bigint' } as const
const endedColumns = { target: 'text', source: 'text', predicate: 'text', to: 'bigint' } as const

type Bound = { brainId: number; [column: string]: unknown }

const insertLinks = defineStatement<Bound, object>(
  ({ brainId, ...columns }) => sql`
  insert into record_links (brain_id, target, source, predicate, from_state, to_state)
  select ${brainId}::bigint, row.* from ${fromColumns(madeColumns, columns)} as row`,
)

const endLinks = defineStatement<Bound, object>(
  ({ brainId, ...columns }) => sql`
  update record_links as link set to_state = row.to_state
  from ${fromColumns(endedColumns, columns)} as row (target, source, predicate, to_state)
  where link.brain_id = ${brainId}::bigint and link.target = row.target and link.source = row.source
    and link.predicate = row.predicate and link.to_state is null`,
)

export const linkStatements: RowStatements<LinkRow, LinkRow> = {
  insert: (brainId, rows): Statement => insertLinks({ ...toColumnArrays(madeColumns, rows), brainId }),
  end: (brainId, rows): Statement => endLinks({ ...toColumnArrays(endedColumns, rows), brainId }),
  endsByKey: true,
}

/** A link that is there at the current place of a history. `isStored`: the database has its row. */
type Open = LinkRow & { isStored: boolean }

const toName = ({ predicate, to }: BrainRecord['links'][number]): string => JSON.stringify([predicate, to])

/** Adds the links that begin and end along the versions of one record. */
const followHistory = (
  { stored, isEnded, made }: History<RecordVersion>,
  rows: { made: LinkRow[]; ended: LinkRow[] },
) => {
  const open = new Map<string, Open>()
  const begin = ({ id, content, fromState }: RecordVersion, isStored: boolean) => {
    for (const link of content.links) {
      const name = toName(link)
      if (open.has(name)) continue
      open.set(name, { source: id, target: link.to, predicate: link.predicate, from: fromState, to: null, isStored })
    }
  }
  const end = (to: number | null, kept?: ReadonlySet<string>) => {
    for (const [name, { isStored, ...link }] of open) {
      if (kept?.has(name)) continue
      open.delete(name)
      if (!isStored) rows.made.push({ ...link, to })
      else if (to !== null) rows.ended.push({ ...link, to })
    }
  }
  let until: number | null = null
  if (stored && (isEnded || stored.toState === null)) {
    begin(stored, true)
    until = stored.toState
  }
  for (const version of made) {
    // A version that ended in the state in which it began was never there.
    if (version.toState === version.fromState) continue
    const isNext = until === version.fromState
    end(until, isNext ? new Set(version.content.links.map(toName)) : undefined)
    begin(version, false)
    until = version.toState
  }
  end(until)
}

/** The rows of links to write for the versions that a batch made and ended. */
export const followLinks = (record: VersionWrites<RecordVersion>): RowChanges<LinkRow> => {
  const rows = { made: [] as LinkRow[], ended: [] as LinkRow[] }
  for (const history of record.histories()) followHistory(history, rows)
  return { statements: linkStatements, ...rows }
}

/** Writes the links of all versions of a Brain whose links have no rows yet. */
export const insertAllLinks = (tx: Queryable, brainId: number) =>
  sql`
  insert into record_links (brain_id, target, source, predicate, from_state, to_state)
  select ${brainId}::bigint, target, id, predicate, min(from_state), case when count(to_state) = count(*) then max(to_state) end
  from (
    select linked.*, count(*) filter (where before is distinct from from_state) over along as place
    from (
      select version.id, link.predicate, link.target, version.from_state, version.to_state,
        lag(version.to_state) over (partition by version.id, link.predicate, link.target order by version.from_state) as before
      from record_versions as version cross join lateral (
        select distinct one->>'predicate' as predicate, one->>'to' as target from json_array_elements(version.record->'links') as one) as link
      where version.brain_id = ${brainId} and (version.to_state is null or version.to_state > version.from_state)) as linked
    window along as (partition by id, predicate, target order by from_state)) as placed
  group by target, id, predicate, place`.execute(tx)
