import { type RawBuilder, sql } from 'kysely'
import type { DueKey, DuePage, LeasedRow, LeaseRequest } from '../../../shared/concurrency/leased-work.ts'
import type { Db } from '../../../storage/database.ts'
import { chooseByShares, toShares, withoutWaitingForDisk } from '../../../storage/lease-queries.ts'

/** A Brain that this node has leased. Its key is its number. */
export type LeasedBrain = LeasedRow & { brainId: number; failures: number }

/** Narrows a statement to some Brains, by the column that holds their numbers. */
export type NarrowBrains = (brainId: RawBuilder<unknown>) => RawBuilder<unknown>

/** A select of Brains that have something to do (`brain_id`), and since when (`due`, or null). */
export type LaggingBrains = RawBuilder<unknown>

export const narrowToKeys =
  (keys: readonly string[]): NarrowBrains =>
  (brainId) =>
    sql`${brainId} = any(${[...keys]}::bigint[])`

export const narrowToAfter =
  (after: string | undefined): NarrowBrains =>
  (brainId) =>
    sql`${brainId} > ${after ?? '0'}::bigint`

/** To the Brains after a number, up to another if there is one. */
export const narrowToBetween =
  (after: string | undefined, last: string | undefined): NarrowBrains =>
  (brainId) =>
    last === undefined
      ? narrowToAfter(after)(brainId)
      : sql`${brainId} > ${after ?? '0'}::bigint and ${brainId} <= ${last}::bigint`

type Found = Omit<LeasedBrain, 'lease'> & { isBehind: boolean; leftOf: string | null }

/** Leases Brains that have work, as far as the shares allow. Brains without work are returned as absent. */
export const leaseTurns = async (
  db: Db,
  { work, behind }: { work: string; behind: LaggingBrains },
  { keys, lease, now, until, running }: LeaseRequest,
) => {
  const { rows } = await sql<Found>`
    with behind as materialized (select found.*, ${withoutWaitingForDisk} from (${behind}) as found),
    candidate as materialized (
      select behind.brain_id, brain.organization_id as organization, coalesce(turn.due_at, behind.due, ${now}) as due
      from behind join brains as brain using (brain_id)
        left join brain_turns as turn on turn.brain_id = brain.brain_id and turn.work = ${work}
      where turn.due_at is null or turn.due_at <= ${now}),
    chosen as materialized (${chooseByShares(toShares(running))}),
    leased as (
      insert into brain_turns as turn (brain_id, work, lease, due_at)
      select brain_id, ${work}, ${lease}, ${until} from chosen where is_chosen order by brain_id
      on conflict (brain_id, work) do update set lease = excluded.lease, due_at = excluded.due_at
        where turn.due_at <= ${now}
      returning turn.brain_id, turn.failures)
    select behind.brain_id::text as key, behind.brain_id::text as owner, leased.brain_id as "brainId", leased.failures,
      chosen.organization, case when not chosen.is_chosen then chosen.organization end as "leftOf"
    from behind left join chosen using (brain_id) left join leased using (brain_id)`.execute(db)
  const laggingKeys = new Set(rows.map(({ key }) => key))
  return {
    rows: rows.flatMap(({ key, owner, organization, brainId, failures }) =>
      brainId === null ? [] : [{ key, owner, organization, brainId, failures, lease }],
    ),
    left: rows.flatMap(({ key, leftOf }) =>
      leftOf === null ? [] : [{ key, organization: leftOf, limit: 'organization' as const }],
    ),
    absent: keys.filter((key) => !laggingKeys.has(key)),
  }
}

/** Selects Brains, by number, whose turn a dead node left, or whose failed turn is due again. */
export const selectDueTurns = (work: string, { now, after, limit }: DuePage): RawBuilder<DueKey> => sql<DueKey>`
  select brain_id::text as key, due_at as "dueAt" from brain_turns
  where work = ${work} and due_at <= ${now} and brain_id > ${after ?? '0'}::bigint
  order by brain_id limit ${limit}`

/** The number of the Brain that is so many after one; none where there are not as many. */
export const selectNumberAfter = async (db: Db, after: string | undefined, count: number) => {
  const { rows } = await sql<{ key: string }>`select brain_id::text as key from brain_directory
    where brain_id > ${after ?? '0'}::bigint order by brain_id offset ${count - 1} limit 1`.execute(db)
  return rows[0]?.key
}

/** Selects the number with about this share of all Brains before it, if there are more than one poll covers. */
export const selectStart = async (db: Db, share: number, brainsPerSearch: number) => {
  const { rows } = await sql<{ key: string }>`select floor(max(brain_id) * ${share}::float8)::bigint::text as key
    from brain_directory having max(brain_id) > ${brainsPerSearch}`.execute(db)
  return rows[0]?.key
}

/** Selects Brains that are behind and that no node works on, by number. */
export const selectLagging = (
  { work, behind }: { work: string; behind: LaggingBrains },
  { now, limit }: Pick<DuePage, 'now' | 'limit'>,
): RawBuilder<DueKey> => sql<DueKey>`
  select found.brain_id::text as key, coalesce(found.due, ${now}) as "dueAt" from (${behind}) as found
  where not exists (select 1 from brain_turns as turn where turn.brain_id = found.brain_id and turn.work = ${work})
  order by found.brain_id limit ${limit}`

/** Merges two selects of Brains by number, each Brain once. */
export const mergeDue = (
  one: RawBuilder<DueKey>,
  other: RawBuilder<DueKey>,
  { limit }: Pick<DuePage, 'limit'>,
): RawBuilder<DueKey> => sql<DueKey>`
  select key, min("dueAt") as "dueAt" from ((${one}) union all (${other})) as due
  group by key order by key::bigint limit ${limit}`

/** The outcome for a turn's row: it is deleted, or stays until `dueAt`, with its lease or without. */
export type TurnOutcome = { dueAt: Date | null; keepsLease: boolean; failures: number }

/** Stores the outcomes of turns, each only while its lease is valid, and returns which of them keep it. */
export const storeLeaseOutcomes = async (
  db: Db,
  work: string,
  settlements: readonly { row: LeasedBrain; outcome: TurnOutcome }[],
): Promise<boolean[]> => {
  const given = settlements.map(({ row: { brainId, lease }, outcome }) => ({ brainId, lease, ...outcome }))
  const { rows } = await sql<{ brainId: number }>`
    with given as materialized (
      select row.*, ${withoutWaitingForDisk} from json_to_recordset(${JSON.stringify(given)}::json)
        as row ("brainId" bigint, lease text, "dueAt" timestamptz, "keepsLease" boolean, failures integer)),
    ended as (
      delete from brain_turns as turn using given
      where turn.brain_id = given."brainId" and turn.work = ${work} and turn.lease = given.lease and given."dueAt" is null),
    kept as (
      update brain_turns as turn set due_at = given."dueAt", failures = given.failures,
        lease = case when given."keepsLease" then turn.lease end
      from given
      where turn.brain_id = given."brainId" and turn.work = ${work} and turn.lease = given.lease
        and given."dueAt" is not null
      returning turn.brain_id, turn.lease)
    select brain_id as "brainId" from kept where lease is not null`.execute(db)
  const standing = new Set(rows.map(({ brainId }) => brainId))
  return given.map(({ brainId }) => standing.has(brainId))
}

/** Deletes the turns of a Brain that is erased, except the one that erases it. */
export const deleteOtherTurns = (db: Db, brainId: number, work: string) =>
  sql`delete from brain_turns where brain_id = ${brainId} and work <> ${work}`.execute(db)
