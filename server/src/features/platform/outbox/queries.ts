import type { OrganizationEvent } from '@noema/contracts/organization-webhooks.ts'
import { type RawBuilder, sql } from 'kysely'
import type { JsonObject } from '../../../shared/json.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'

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

/** The oldest announcements that nobody has taken yet. */
export const selectAnnouncements = async (db: Queryable, limit: number): Promise<(Announcement & { id: number })[]> => {
  const { rows } = await sql<Announcement & { id: number }>`
    select id, organization_id as "organizationId", event, at,
      json_strip_nulls(json_build_object('agentId', agent_id, 'brain', brain)) as scope, data
    from announcements order by id limit ${limit}`.execute(db)
  return rows
}

/** Takes an announcement away, for whoever tells it in the same transaction. False where somebody else did. */
export const takeAnnouncement = async (tx: Tx, id: number): Promise<boolean> => {
  const { rows } = await sql`delete from announcements where id = ${id} returning id`.execute(tx)
  return rows.length > 0
}
