import { type RawBuilder, sql } from 'kysely'
import type { RunningTurns } from '../shared/leased-work.ts'

/**
 * Of the rows of `candidate` (with `organization` and `due`), which may be leased, as `is_chosen`. An organization may start
 * a turn while those that it has are fewer than those still free on this node: so one alone uses half of the node, and there
 * is always room for one that comes. What is the earliest due goes first within an organization, and the organization
 * with the fewest turns goes first among them.
 */
export const chooseByShares = ({ free, organizations }: RunningTurns): RawBuilder<unknown> => sql`
  select ranked.*, load + row_number() over (order by load, due) <= ${free + 1} as is_chosen
  from (
    select candidate.*, coalesce(running.turns, 0)
      + row_number() over (partition by candidate.organization order by candidate.due) as load
    from candidate left join json_to_recordset(${JSON.stringify(organizations)}::json)
      as running (organization text, turns integer) on running.organization = candidate.organization) as ranked`
