import type { Trigger } from '@noema/contracts/triggers.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesBrain, hidesTrigger, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import { forChange, type LockWait, lockingBriefly } from '../../kernel/locks/lock-queries.ts'

/** A trigger as it is shown, with the number of its Brain. */
export type TriggerRow = Trigger & {
  brainId: number
  pausedReason: string | null
  lastRunId: string | null
  lastFiredAt: Date | null
}

const columns = sql`trigger.id, brain.id as "knowledgeGraphId", trigger.agent_id as "agentId", trigger.name,
  trigger.expected_outcome as "expectedOutcome", trigger.required_access as "requiredAccess", trigger.enabled,
  trigger.kind_scopes as "kindScopes", trigger.brain_id as "brainId", trigger.paused_reason as "pausedReason",
  trigger.last_run_id as "lastRunId", trigger.last_fired_at as "lastFiredAt"`

const live = sql`triggers as trigger join brain_directory as brain on brain.brain_id = trigger.brain_id and brain.deleted_at is null`

/** Locks a Brain and returns the end of its stream; undefined if it was deleted. */
export const lockHead = async (tx: Tx, brainId: number, wait: LockWait): Promise<number | undefined> => {
  const locking = { columns: sql`brain.brain_id`, where: sql`brain.brain_id = ${brainId}`, lock: forChange }
  await lockingBriefly(tx, wait, locking)
  const { rows } = await sql<{ position: number }>`select position from brains
    where brain_id = ${brainId} and deleted_at is null`.execute(tx)
  return rows[0]?.position
}

/** Locks an organization, so that one at a time counts its triggers; returns their number. */
export const countTriggers = async (tx: Tx, organizationId: string): Promise<number> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${live}
    where trigger.organization_id = ${organizationId}`.execute(tx)
  return rows[0]?.count ?? 0
}

type Given = Omit<Trigger, 'knowledgeGraphId'>
type NewTrigger = Given & { brainId: number; organizationId: string; createdBy: Actor; now: Date; position: number }

export const insertTrigger = (tx: Tx, given: NewTrigger) =>
  sql`insert into triggers (brain_id, id, organization_id, agent_id, name, expected_outcome, required_access, enabled,
      kind_scopes, created_at, updated_at, created_by, examined_position)
    values (${given.brainId}, ${given.id}, ${given.organizationId}, ${given.agentId}, ${given.name},
      ${given.expectedOutcome}, ${given.requiredAccess}, ${given.enabled}, ${JSON.stringify(given.kindScopes)}::json,
      ${given.now}, ${given.now}, ${actorValue(given.createdBy)}, ${given.position})`.execute(tx)

/** One trigger of an organization, of a Brain that is there. */
export const selectTrigger = async (
  db: Queryable,
  organizationId: string,
  id: string,
): Promise<TriggerRow | undefined> => {
  const { rows } = await sql<TriggerRow>`select ${columns} from ${live}
    where trigger.organization_id = ${organizationId} and trigger.id = ${id}`.execute(db)
  return rows[0]
}

/** An organization's triggers that a viewer may see, so many. */
export const selectTriggers = async (
  db: Queryable,
  organizationId: string,
  limit: number,
  viewer: Viewer,
): Promise<TriggerRow[]> => {
  const hides = (userId: string) => hidesTrigger(sql`trigger.organization_id`, sql`trigger.id`, userId)
  const { rows } = await sql<TriggerRow>`select ${columns} from ${live}
    where trigger.organization_id = ${organizationId} and ${isVisible(viewer, hides)} order by trigger.id limit ${limit}`.execute(
    db,
  )
  return rows
}

type Change = Given & { brainId: number; now: Date; position: number | undefined; by: Actor }

const isOfStranger = hidesBrain(sql`triggers.brain_id`, sql`triggers.created_by->>'userId'`)

/**
 * Changes a trigger and ends its lease; `position` is its new start, if any. It becomes that of who changes it if its Brain is no
 * longer open to its maker, in whose name its runs act.
 */
export const updateTrigger = (tx: Tx, given: Change) =>
  sql`update triggers set agent_id = ${given.agentId}, name = ${given.name}, expected_outcome = ${given.expectedOutcome},
      required_access = ${given.requiredAccess}, enabled = ${given.enabled},
      kind_scopes = ${JSON.stringify(given.kindScopes)}::json, updated_at = ${given.now}, paused_reason = null, lease = null,
      created_by = case when ${isOfStranger} then ${actorValue(given.by)} else created_by end,
      examined_position = coalesce(${given.position ?? null}::bigint, examined_position),
      due_at = ${given.enabled ? given.now : null}::timestamptz
    where brain_id = ${given.brainId} and id = ${given.id}`.execute(tx)

/** Pauses the enabled triggers of a Brain whose makers lost access to it. */
export const pauseTriggersOfStrangers = (db: Queryable, brainId: number, reason: string) =>
  sql`update triggers set paused_reason = ${reason}, due_at = null, lease = null
    where brain_id = ${brainId} and enabled and ${isOfStranger}`.execute(db)

export const removeTrigger = async (db: Queryable, organizationId: string, id: string): Promise<boolean> => {
  const { rows } = await sql`delete from triggers
    where organization_id = ${organizationId} and id = ${id} returning id`.execute(db)
  return rows.length > 0
}

type Made = { makers: readonly string[]; organizationIds: readonly string[] }

const isMade = ({ makers, organizationIds }: Made) => sql`organization_id = any(${[...organizationIds]})
  and (created_by->>'id' = any(${[...makers]}) or created_by->>'userId' = any(${[...makers]}))`

/** The triggers that these makers made in these organizations. */
export const selectTriggersOfMakers = async (db: Queryable, made: Made): Promise<{ id: string; name: string }[]> => {
  const { rows } = await sql<{ id: string; name: string }>`select id, name from triggers where ${isMade(made)}
    order by id limit 1000`.execute(db)
  return rows
}

/** Deletes the triggers that these makers made in these organizations. */
export const removeTriggersOfMakers = async (db: Queryable, made: Made): Promise<{ id: string; name: string }[]> => {
  const { rows } = await sql<{ id: string; name: string }>`delete from triggers where ${isMade(made)}
    returning id, name`.execute(db)
  return rows
}
