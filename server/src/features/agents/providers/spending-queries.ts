import { sql } from 'kysely'
import type { Limits } from '../../../config/config.ts'
import { nanodollarsPerCent } from '../../../shared/nanodollars.ts'
import { hasConfirmedOwner } from '../../../storage/confirmed-owner.ts'
import type { Queryable } from '../../../storage/database.ts'
import { findOwner, toDay } from '../../kernel/usage/usage-queries.ts'

/** The cents that an owner may spend a day by tier; null, or a tier that is missing, is no limit. */
type Budgets = Limits['modelBudgets']

/** An amount that was taken from what an owner may spend on a day. */
export type TakenSpending = { owner: string; day: string }

/**
 * Takes an amount, in billionths of a dollar, from what the owner of an organization may spend today. Undefined if that would be too much: then nothing is
 * taken. One statement, so that calls at the same moment cannot take more together.
 */
export const takeSpending = async (
  db: Queryable,
  { organizationId, amount, budgets, now }: { organizationId: string; amount: number; budgets: Budgets; now: Date },
): Promise<TakenSpending | undefined> => {
  const day = toDay(now)
  const { rows } = await sql<{ owner: string }>`
    with standing as materialized (
      select coalesce(${findOwner(sql`organization.id`)}, organization.id) as owner,
        (${JSON.stringify(budgets)}::json->>organization.tier)::bigint * ${nanodollarsPerCent}::bigint as budget
      from organization where id = ${organizationId}),
    forgotten as (
      delete from shared_spending as old using standing where old.owner = standing.owner and old.day < ${day}::date)
    insert into shared_spending as spending (owner, day, nanodollars)
    select owner, ${day}::date, ${amount}::bigint from standing where budget is null or ${amount}::bigint <= budget
    on conflict (owner, day) do update set nanodollars = spending.nanodollars + excluded.nanodollars
      where (select budget is null or spending.nanodollars + excluded.nanodollars <= budget from standing)
    returning owner`.execute(db)
  return rows[0] && { owner: rows[0].owner, day }
}

/** Takes a cent, for a call that is too short to cost more. False if that would be too much. */
export const takeCent = async (db: Queryable, given: { organizationId: string; budgets: Budgets; now: Date }) =>
  (await takeSpending(db, { ...given, amount: nanodollarsPerCent })) !== undefined

/** Changes what was taken by the difference to what it came to. */
export const correctSpending = (db: Queryable, { owner, day }: TakenSpending, difference: number) =>
  sql`update shared_spending set nanodollars = greatest(0, nanodollars + ${difference}::bigint)
    where owner = ${owner} and day = ${day}::date`.execute(db)

/** True if an owner of an organization has confirmed their address. */
export const isConfirmed = async (db: Queryable, organizationId: string): Promise<boolean> => {
  const { rows } = await sql<{ isConfirmed: boolean }>`
    select ${hasConfirmedOwner(sql`${organizationId}::text`)} as "isConfirmed"`.execute(db)
  return rows[0]?.isConfirmed === true
}
