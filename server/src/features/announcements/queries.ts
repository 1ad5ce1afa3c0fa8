import type { OrganizationEvent } from '@noema/contracts/organization-webhooks.ts'
import { type RawBuilder, sql } from 'kysely'
import type { JsonObject } from '../../shared/json.ts'
import type { Queryable, Tx } from '../../storage/database.ts'

/** Something that happened in an organization. `scope`: the agent or the Brain, by its handle, that it belongs to. */
export type Announcement = {
  organizationId: string
  event: OrganizationEvent
  at: Date
  scope: { agentId?: string; brain?: string }
  data: JsonObject
}

/** Announces something, as a statement of the transaction that does it. */
export const announce = ({ organizationId, event, at, scope, data }: Announcement): RawBuilder<unknown> => sql`
  insert into announcements (organization_id, event, at, agent_id, brain, data)
  values (${organizationId}, ${event}, ${at}, ${scope.agentId ?? null}, ${scope.brain ?? null}, ${JSON.stringify(data)})`

/** Whether anything waits to be told. */
export const hasAnnouncements = async (db: Queryable): Promise<boolean> => {
  const { rows } = await sql<{ has: boolean }>`select exists (select from announcements) as has`.execute(db)
  return rows[0]?.has === true
}

/** Takes away announcements, oldest first, those that another node is at aside. They are back if the transaction fails. */
export const takeAnnouncements = async (tx: Tx, limit: number): Promise<Announcement[]> => {
  const { rows } = await sql<Announcement>`
    with oldest as (select id from announcements order by id limit ${limit} for update skip locked),
    taken as (delete from announcements as announcement using oldest where announcement.id = oldest.id
      returning announcement.*)
    select organization_id as "organizationId", event, at,
      json_strip_nulls(json_build_object('agentId', agent_id, 'brain', brain)) as scope, data
    from taken order by id`.execute(tx)
  return rows
}
