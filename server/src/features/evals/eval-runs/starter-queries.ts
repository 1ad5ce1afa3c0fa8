import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import type { Queryable } from '../../../storage/database.ts'
import { worksAt } from '../../../storage/working-keys.ts'

/** True if the starter of a run is still a member, and their key still works. */
export const isStarterAllowed = async (
  db: Queryable,
  organizationId: string,
  { type, id, userId }: Actor,
  now: Date,
): Promise<boolean> => {
  const person = type === 'session' ? id : userId
  const { rows } = await sql`
    select from organization where organization.id = ${organizationId} and ended_at is null
      and (${person ?? null}::text is null or exists (select 1 from member
        where "organizationId" = organization.id and "userId" = ${person ?? null}))
      and (${type}::text <> 'key' or exists (select 1 from management_keys as key
        where key.id = ${id} and key.organization_id = organization.id and ${worksAt(now)}))`.execute(db)
  return rows.length > 0
}
