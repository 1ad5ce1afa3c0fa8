import { sql } from 'kysely'
import { hidesDefinition, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable } from '../../../storage/database.ts'

/** An agent as a model. */
export type ModelRow = { id: string; name: string; createdAt: Date }

const isShown = (viewer: Viewer) =>
  isVisible(viewer, (userId) => hidesDefinition(sql`agent.organization_id`, sql`version.definition`, userId))

/** The newest live agents of an organization that a viewer may see, in the order of their ids. */
export const selectModels = async (
  db: Queryable,
  organizationId: string,
  { limit, viewer }: { limit: number; viewer: Viewer },
): Promise<ModelRow[]> => {
  const { rows } = await sql<ModelRow>`
    select agent.id, version.definition->>'name' as name, agent.created_at as "createdAt"
    from agents as agent join agent_versions as version on version.organization_id = agent.organization_id
      and version.agent_id = agent.id and version.version = agent.version
    where agent.organization_id = ${organizationId} and agent.archived_at is null and ${isShown(viewer)}
    order by agent.id desc limit ${limit}`.execute(db)
  return rows.toReversed()
}

/** Some live agents that a viewer may see with an id, or with a name in their newest versions. An index has the names of versions. */
export const selectModelsByName = async (
  db: Queryable,
  organizationId: string,
  { id, name, limit, viewer }: { id: string; name: string; limit: number; viewer?: Viewer },
): Promise<ModelRow[]> => {
  const { rows } = await sql<ModelRow>`
    select agent.id, version.definition->>'name' as name, agent.created_at as "createdAt"
    from agent_versions as version join agents as agent on agent.organization_id = version.organization_id
      and agent.id = version.agent_id and agent.version = version.version
    where version.organization_id = ${organizationId} and agent.archived_at is null
      and (version.agent_id = ${id} or version.definition->>'name' = ${name}) and ${isShown(viewer)}
    order by agent.id limit ${limit}`.execute(db)
  return rows
}
