import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** An agent as a model. */
export type ModelRow = { id: string; name: string; createdAt: Date }

/** The newest live agents of an organization, in the order of their ids. */
export const selectModels = async (db: Queryable, organizationId: string, limit: number): Promise<ModelRow[]> => {
  const { rows } = await sql<ModelRow>`
    select agent.id, version.definition->>'name' as name, agent.created_at as "createdAt"
    from agents as agent join agent_versions as version on version.organization_id = agent.organization_id
      and version.agent_id = agent.id and version.version = agent.version
    where agent.organization_id = ${organizationId} and agent.archived_at is null
    order by agent.id desc limit ${limit}`.execute(db)
  return rows.toReversed()
}

/** Some live agents with an id, or with a name in their newest versions. An index has the names of versions. */
export const selectModelsByName = async (
  db: Queryable,
  organizationId: string,
  { id, name, limit }: { id: string; name: string; limit: number },
): Promise<ModelRow[]> => {
  const { rows } = await sql<ModelRow>`
    select agent.id, version.definition->>'name' as name, agent.created_at as "createdAt"
    from agent_versions as version join agents as agent on agent.organization_id = version.organization_id
      and agent.id = version.agent_id and agent.version = version.version
    where version.organization_id = ${organizationId} and agent.archived_at is null
      and (version.agent_id = ${id} or version.definition->>'name' = ${name})
    order by agent.id limit ${limit}`.execute(db)
  return rows
}
