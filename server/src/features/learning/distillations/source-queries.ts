import type { Distillation } from '@noema/contracts/distillations.ts'
import { type RawBuilder, sql } from 'kysely'
import { firstIdAt } from '../../../shared/ids.ts'
import { hidesBrain, hidesRun, holds, isVisible, type Viewer, withTouchedRuns } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'
import { worksAt } from '../../../storage/working-keys.ts'
import type { DistillationKey } from './types.ts'

// Which runs a distillation reads, the Brains behind them, and who may read these.

type From = Distillation['from']

/** For a person from whom some Brains are hidden, so many runs are examined. */
const maxExamined = 1_000

/** The ids of the runs that ended and that a person may see, the newest first. */
export const selectRunIds = async (
  db: Queryable,
  { organizationId, viewer }: { organizationId: string; viewer: Viewer },
  { agentId, runs, since, outcome }: From,
  limit: number,
): Promise<string[]> => {
  const isFound = sql`organization_id = ${organizationId} and completed_at is not null
    and (metadata is null or metadata->>'distillationId' is null)
    ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
    ${runs === undefined ? sql`` : sql`and id = any(${[...runs]}::text[])`}
    ${since === undefined ? sql`` : sql`and id >= ${firstIdAt('run', new Date(since))}`}
    ${outcome === undefined ? sql`` : sql`and state = any(${[...outcome]}::text[])`}`
  const shown = isVisible(viewer, (userId) => hidesRun(sql`newest.organization_id`, sql`newest.id`, userId))
  const { rows } = await sql<{ id: string }>`
    with newest as materialized (
      select organization_id, id from runs where ${isFound} order by id desc
      limit ${viewer === undefined ? limit : Math.max(limit, maxExamined)})
    select id from newest where ${shown} order by id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** The numbers of the Brains whose content may be in some runs. */
export const selectBrainsBehind = async (
  db: Queryable,
  organizationId: string,
  runIds: readonly string[],
): Promise<number[]> => {
  const touched = withTouchedRuns(sql`${organizationId}::text`, sql`run.id = any(${[...runIds]}::text[])`)
  const { rows } = await sql<{ brainId: number }>`${touched}
    select distinct brain_id as "brainId" from (
      select reached.brain_id from touched join run_brains as reached
        on reached.organization_id = touched.organization_id and reached.run_id = touched.id
      union all select fired.brain_id from touched join triggers as fired
        on fired.organization_id = touched.organization_id and fired.id = touched.trigger_id) as behind
    order by 1`.execute(db)
  return rows.map(({ brainId }) => brainId)
}

const isRestricted = (brainId: RawBuilder<unknown>) =>
  sql`exists (select 1 from restricted_brains as restricted where restricted.brain_id = ${brainId})`

/**
 * Why a Brain has readers who cannot read all of some others: `members`, because it is open to members to whom one of these is not, or
 * `keys`, because a key or an app reads it, which opens no other Brain. Undefined if it has none.
 */
export const findWiderReaders = async (
  db: Queryable,
  { into, sources, now }: { into: number; sources: readonly number[]; now: Date },
): Promise<'members' | 'keys' | undefined> => {
  const others = sources.filter((brainId) => brainId !== into)
  if (others.length === 0) return undefined
  const { rows } = await sql<{ members: boolean; keys: boolean }>`
    select exists (select 1 from unnest(${others}::bigint[]) as source (brain_id) where ${isRestricted(sql`source.brain_id`)}
        and (not ${isRestricted(sql`${into}::bigint`)} or exists (
          select 1 from brain_members as reader where reader.brain_id = ${into} and not exists (
            select 1 from brain_members as named
            where named.brain_id = source.brain_id and named.user_id = reader.user_id)))) as members,
      exists (select 1 from brain_keys as key where key.brain_id = ${into} and 'read' = any(key.capabilities)
        and ${worksAt(now)}) as keys`.execute(db)
  const [found] = rows
  if (found?.members) return 'members'
  return found?.keys ? 'keys' : undefined
}

/** True if a person may write to a Brain. Without a person, every Brain of the organization is open. */
export const mayWriteTo = async (db: Queryable, brainId: number, viewer: Viewer): Promise<boolean> =>
  viewer === undefined || !(await holds(db, hidesBrain(sql`${brainId}::bigint`, viewer, 'writer')))

/** The public ids of the live Brains that a distillation has seen. */
export const selectSeenBrains = async (
  db: Queryable,
  { organizationId, id }: DistillationKey,
): Promise<{ brainId: number; publicId: string }[]> => {
  const { rows } = await sql<{ brainId: number; publicId: string }>`
    select brain.brain_id as "brainId", brain.id as "publicId" from distillation_brains as seen
      join brain_directory as brain on brain.brain_id = seen.brain_id
    where seen.organization_id = ${organizationId} and seen.distillation_id = ${id} and brain.deleted_at is null
    order by brain.brain_id limit 1000`.execute(db)
  return rows
}
