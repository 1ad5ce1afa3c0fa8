import type { ItemOutcome } from '@noema/contracts/distillations.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { DistillationKey, Extract, ItemContent, ItemRow, Phase } from './types.ts'

// Statements of the work on distillations. Each write holds the lease, so that a node that lost it stores nothing.

export type HeldDistillation = DistillationKey & { lease: string }

const held = ({ organizationId, id, lease }: HeldDistillation): RawBuilder<unknown> => sql`
  select from distillations where organization_id = ${organizationId} and id = ${id} and lease = ${lease} for update`

/** Stores what was seen in runs, by their positions. False if the lease was lost. */
export const storeExtracts = async (
  db: Queryable,
  work: HeldDistillation,
  extracts: readonly { position: number; extract: Extract }[],
): Promise<boolean> => {
  const { organizationId, id } = work
  const { rows } = await sql`
    with held as materialized (${held(work)}),
    stored as (
      update distillation_runs as listed set extract = given.extract
      from json_to_recordset(${JSON.stringify(extracts)}::json) as given (position integer, extract json)
      where listed.organization_id = ${organizationId} and listed.distillation_id = ${id}
        and listed.position = given.position and listed.extract is null and exists (select 1 from held)
      returning listed.position)
    update distillations set read = read + (select count(*) from stored)
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

/** The extracts of the next runs after a position. */
export const selectExtracts = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
  { after, limit }: { after: number; limit: number },
): Promise<{ position: number; runId: string; extract: Extract }[]> => {
  const { rows } = await sql<{ position: number; runId: string; extract: Extract }>`
    select position, run_id as "runId", extract from distillation_runs
    where organization_id = ${organizationId} and distillation_id = ${id} and position > ${after} and extract is not null
    order by position limit ${limit}`.execute(db)
  return rows
}

/** Stores the items that were found, and goes on to the next phase. False if the lease was lost. */
export const storeFound = async (
  db: Queryable,
  work: HeldDistillation,
  { items, brain, phase }: { items: readonly ItemRow[]; brain: string; phase: Phase },
): Promise<boolean> => {
  const { organizationId, id } = work
  const { rows } = await sql`
    with held as materialized (${held(work)}),
    stored as (
      insert into distillation_items (organization_id, distillation_id, number, brain, type, item, content, outcome)
      select ${organizationId}, ${id}, number, ${brain}, type, item, content, outcome
      from json_to_recordset(${JSON.stringify(items)}::json)
        as given (number integer, type text, item text, content json, outcome text)
      where exists (select 1 from held) on conflict do nothing)
    update distillations set phase = ${phase}, found = ${items.length}
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

/** The items of a distillation, by number; with `outcome`, those with it. */
export const selectItems = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
  outcome?: ItemOutcome,
): Promise<ItemRow[]> => {
  const { rows } = await sql<ItemRow>`
    select number, type, item, content, outcome, change_id as change, note from distillation_items
    where organization_id = ${organizationId} and distillation_id = ${id}
      ${outcome === undefined ? sql`` : sql`and outcome = ${outcome}`}
    order by number limit 100`.execute(db)
  return rows
}

/** Stores contents that a model worded, and goes on to staging. False if the lease was lost. */
export const storeWorded = async (
  db: Queryable,
  work: HeldDistillation,
  worded: readonly { number: number; content: ItemContent }[],
): Promise<boolean> => {
  const { organizationId, id } = work
  const { rows } = await sql`
    with held as materialized (${held(work)}),
    stored as (
      update distillation_items as item set content = given.content
      from json_to_recordset(${JSON.stringify(worded)}::json) as given (number integer, content json)
      where item.organization_id = ${organizationId} and item.distillation_id = ${id} and item.number = given.number
        and exists (select 1 from held))
    update distillations set phase = 'staging'
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

/** Stores what became of an item. False if the lease was lost. */
export const storeOutcome = async (
  db: Queryable,
  work: HeldDistillation,
  { number, outcome, change, note }: Pick<ItemRow, 'number' | 'outcome' | 'change' | 'note'>,
): Promise<boolean> => {
  const { organizationId, id } = work
  const { rows } = await sql`
    with held as materialized (${held(work)}),
    stored as (
      update distillation_items set outcome = ${outcome}, change_id = ${change}, note = ${note}
      where organization_id = ${organizationId} and distillation_id = ${id} and number = ${number}
        and outcome = 'found' and exists (select 1 from held) returning number)
    update distillations set staged = staged + (select count(*) from stored where ${outcome}::text = 'staged')
    where organization_id = ${organizationId} and id = ${id} and exists (select 1 from held) returning id`.execute(db)
  return rows.length > 0
}

/** The newest changes by which other distillations staged an item of a Brain. */
export const selectEarlierChanges = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
  { brain, item }: { brain: string; item: string },
): Promise<string[]> => {
  const { rows } = await sql<{ change: string }>`
    select change_id as change from distillation_items where organization_id = ${organizationId} and brain = ${brain}
      and item = ${item} and distillation_id <> ${id} and outcome = 'staged' and change_id is not null
    order by change_id desc limit 20`.execute(db)
  return rows.map(({ change }) => change)
}
