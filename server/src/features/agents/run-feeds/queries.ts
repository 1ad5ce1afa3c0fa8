import { type RawBuilder, sql } from 'kysely'

export type RunKey = { organizationId: string; id: string }

/** A row for each part, or one without a part where there is none. No row where the run is gone. */
export type PartRow = { hasEnded: boolean; found: number | null; number: number | null; part: string | null }

/** Parts after a number with their JSON text, one at least where there is any, and whether the run has ended: of one moment. */
export const selectParts = (
  { organizationId, id }: RunKey,
  { after, limit, maxLength }: { after: number; limit: number; maxLength: number },
): RawBuilder<PartRow> => sql`
  select run.completed_at is not null as "hasEnded", page.found, page.number, page.part
  from runs as run left join lateral (
    select number, part, count(*) over () as found, sum(length(part)) over (order by number) as total,
      row_number() over (order by number) as place
    from (select number, part from run_parts
      where organization_id = ${organizationId} and run_id = ${id} and number > ${after}::integer
      order by number limit ${limit + 1}::integer) as following) as page
    on place = 1 or (place <= ${limit}::integer and total <= ${maxLength}::bigint)
  where run.organization_id = ${organizationId} and run.id = ${id} order by page.number`

/** The ends of these runs' streams. A deleted run is left out. */
export const selectReaches = (
  keys: readonly RunKey[],
): RawBuilder<{ id: string; reach: number; hasEnded: boolean }> => sql`
  select run.id, run.next_part - 1 as reach, run.completed_at is not null as "hasEnded"
  from unnest(${keys.map(({ organizationId }) => organizationId)}::text[], ${keys.map(({ id }) => id)}::text[])
    as asked (organization_id, id) join runs as run using (organization_id, id) order by run.id`

/** Finds a run. */
export const selectRun = ({ organizationId, id }: RunKey): RawBuilder<{ id: string }> => sql`
  select id from runs where organization_id = ${organizationId} and id = ${id}`
