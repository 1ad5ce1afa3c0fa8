import { type RawBuilder, sql } from 'kysely'
import type {
  DueKey,
  DuePage,
  LeasedRow,
  LeasedRows,
  LeaseRequest,
  RunningTurns,
} from '../shared/concurrency/leased-work.ts'
import { placements } from './placements.ts'

// The shared parts of statements on leased tables.

/** Running turns as values of a statement: `organizations` is JSON. */
type Shares = Pick<RunningTurns, 'free' | 'maxOfOrganization'> & { organizations: string }

export const toShares = ({ free, maxOfOrganization, organizations }: RunningTurns): Shares => ({
  ...{ free, maxOfOrganization },
  organizations: JSON.stringify(organizations),
})

/** A request as values of a defined statement. */
export type LeaseValues = Omit<LeaseRequest, 'running'> & Shares

export const toLeaseValues = ({ running, ...request }: LeaseRequest): LeaseValues => ({
  ...request,
  ...toShares(running),
})

/**
 * Marks the rows of `candidate` (with `organization` and `due`) that may be leased, as `is_chosen`. An organization may
 * start a turn while it has fewer turns than are free on this node. So one organization alone uses half of the node, and
 * there is always room for another. Within an organization the earliest due row is first; among organizations the one with
 * the fewest turns is first. None exceeds its maximum.
 */
export const chooseByShares = ({ free, maxOfOrganization, organizations }: Shares): RawBuilder<unknown> => sql`
  select ranked.*, load <= ${maxOfOrganization}::integer
      and load + row_number() over (order by load, due) <= ${free}::integer + 1
    as is_chosen
  from (
    select candidate.*, coalesce(running.turns, 0)
      + row_number() over (partition by candidate.organization order by candidate.due) as load
    from candidate left join json_to_recordset(${organizations}::json)
      as running (organization text, turns integer) on running.organization = candidate.organization) as ranked`

/** The rows of a table that are leased by a key: which column has it, which says when they are due, and which rows count. */
type DueRows = { table: string; key: string; due?: string; where?: RawBuilder<unknown> }

/**
 * Selects the keys of a table with rows that are due, by key. It goes from key to key along an index on the key and the time when rows
 * are due, so that a thousand rows of one key cost as much as one.
 */
export const selectDueKeys = (
  { table, key, due = 'due_at', where }: DueRows,
  { now, after, limit, isDivided = false }: DuePage,
): RawBuilder<DueKey> => {
  const [rows, column, time] = [sql.table(table), sql.ref(key), sql.ref(due)]
  const isMeant = sql`${time} is not null ${where ? sql`and ${where}` : sql``}`
  // Each server groups its own rows; no index goes across servers.
  if (isDivided && placements.get(table) === 'brain')
    return sql<DueKey>`select ${column}::text as key, min(${time}) as "dueAt" from ${rows}
      where ${isMeant} and ${time} <= ${now} ${after === undefined ? sql`` : sql`and ${column} > ${after}`}
      group by ${column} order by ${column} limit ${limit}`
  return sql<DueKey>`
    with recursive next as (
      (select ${column} as key, ${time} as due_at from ${rows}
        where ${isMeant} ${after === undefined ? sql`` : sql`and ${column} > ${after}`}
        order by ${column}, ${time} limit 1)
      union all
      select following.* from next cross join lateral (
        select ${column} as key, ${time} as due_at from ${rows} where ${isMeant} and ${column} > next.key
        order by ${column}, ${time} limit 1) as following)
    select key::text as key, due_at as "dueAt" from next where due_at <= ${now} limit ${limit}`
}

/**
 * Locks the rows that are about to be leased, and leaves those that another node leases now. On several servers no statement locks
 * rows of more than one; there the update itself finds that a row is leased, after it waited for that.
 */
export const skipLocked = (isDivided: boolean, rows: string): RawBuilder<unknown> =>
  isDivided ? sql`` : sql`for update of ${sql.table(rows)} skip locked`

/**
 * Lets a statement be acknowledged before it reaches the disk. If PostgreSQL crashes, it may forget a lease or an outcome:
 * then the work is repeated, which its code expects, and nothing is lost.
 */
export const withoutWaitingForDisk = sql`set_config('synchronous_commit', 'off', true)`

/** A row of a statement that leases rows of organizations: a leased row, or none, for a requested organization. */
export type FoundOfOrganization = { asked: string; isLeft: boolean | null }

/** The end of such a statement: its `leased` rows, and whether `chosen` had more of an organization than its share. */
export const selectLeased = (keys: readonly string[]): RawBuilder<unknown> => sql`
  select asked.key as asked, remaining.organization is not null as "isLeft", leased.*
  from unnest(${[...keys]}::text[]) as asked (key)
    left join (select distinct organization from chosen where not is_chosen) as remaining
      on remaining.organization = asked.key
    left join leased on leased.key = asked.key`

/** The leased rows of organizations, and the organizations that have more. */
export const toLeasedOfOrganizations = <Row extends LeasedRow & FoundOfOrganization>(
  found: readonly Row[],
): LeasedRows<Row> => {
  const left = new Set(found.filter(({ isLeft }) => isLeft).map(({ asked }) => asked))
  return {
    rows: found.filter(({ key }) => key !== null),
    left: [...left].map((key) => ({ key, organization: key, limit: 'organization' as const })),
  }
}

/** A row of a statement that leases what follows Brains: a leased one, or none, of a Brain that is followed. */
type FoundOfBrain = { id: string | null; watched: string; leftOf: string | null }

/**
 * The leased rows of such a statement, and the organizations whose share left some. Brains that nothing follows are
 * returned as absent.
 */
export const toLeasedOfBrains = <Row extends LeasedRow & FoundOfBrain>(
  keys: readonly string[],
  found: readonly Row[],
): LeasedRows<Row> => {
  const watched = new Map(found.map((row) => [row.watched, row.leftOf]))
  return {
    rows: found.filter(({ id }) => id !== null),
    left: [...watched].flatMap(([key, organization]) =>
      organization === null ? [] : { key, organization, limit: 'organization' as const },
    ),
    absent: keys.filter((key) => !watched.has(key)),
  }
}

type LeasedOfBrain = { brainId: number; id: string; lease: string }

/** Returns for each of these leases whether it is still valid. */
export const findStanding = (given: readonly LeasedOfBrain[], standing: readonly LeasedOfBrain[]): boolean[] => {
  const toName = ({ brainId, id, lease }: LeasedOfBrain) => `${brainId}/${id}/${lease}`
  const names = new Set(standing.map(toName))
  return given.map((one) => names.has(toName(one)))
}
