import type { RecordRows } from './rows.ts'
import { submittedBy } from './rows.ts'

// One statement with four parts, prepared once: the same tables, columns and indexes that Noema writes.
const text = `
with version as (
  insert into record_versions (brain_id, id, version, kind, slug, from_state, to_state, deleted, ended_at, ended_change, record)
  select $1::bigint, id, 1, kind, null, state, null, false, null, null, record
  from unnest($2::text[], $3::text[], $4::bigint[], $5::json[]) as row (id, kind, state, record)
), change as (
  insert into changes (brain_id, organization_id, id, decision, application, submitted_by, submitted_by_user, state_version, base_state, items, created_at)
  select $1::bigint, (select organization_id from brains where brain_id = $1), id, 'approved', 'applied', $6, $7, state, state - 1, items, $8
  from unnest($9::text[], $10::bigint[], $11::json[]) as row (id, state, items)
), event as (
  insert into events (brain_id, position, type, event)
  select $1::bigint, position, 'record.accepted', event from unnest($12::bigint[], $13::json[]) as row (position, event)
)
update brains set position = $14, state_version = $15, writes_day = $8::timestamptz::date, writes_today = $16 where brain_id = $1`

type Group = { brainId: number; at: string; rows: readonly RecordRows[]; writesToday: number }

/** The changes of the rows, each with the items of its rows. */
const groupByChange = (rows: readonly RecordRows[]) => {
  const changes = new Map<string, { stateVersion: number; items: string[] }>()
  for (const { change, stateVersion, item } of rows) {
    const found = changes.get(change)
    if (found) found.items.push(item)
    else changes.set(change, { stateVersion, items: [item] })
  }
  return changes
}

/** The statement that writes a group's rows. */
export const insertRows = ({ brainId, at, rows, writesToday }: Group) => {
  const changes = groupByChange(rows)
  const last = rows.at(-1)
  return {
    name: 'insert rows',
    text,
    values: [
      brainId,
      rows.map(({ id }) => id),
      rows.map(({ kind }) => kind),
      rows.map(({ stateVersion }) => stateVersion),
      rows.map(({ record }) => record),
      submittedBy.key,
      submittedBy.user,
      at,
      [...changes.keys()],
      [...changes.values()].map(({ stateVersion }) => stateVersion),
      [...changes.values()].map(({ items }) => `[${items.join(',')}]`),
      rows.map(({ position }) => position),
      rows.map(({ event }) => event),
      last?.position,
      last?.stateVersion,
      writesToday,
    ],
  }
}
