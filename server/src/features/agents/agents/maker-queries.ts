import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import { maxStates, type StateScope, stateColumns } from '../../../storage/ongoing-states.ts'

// The agents of people who lose their access. They do nothing by themselves, so they stay; but their instructions are that person's.

const isMade = ({ makers, organizationIds }: Made): RawBuilder<unknown> => sql`
  agent.organization_id = any(${[...organizationIds]}) and agent.archived_at is null
  and version.organization_id = agent.organization_id and version.agent_id = agent.id and version.version = agent.version
  and version.created_by->>'id' = any(${[...makers]})`

const columns = sql`agent.id, version.definition->>'name' as name`

type MadeAgent = { id: string; name: string }

/** The live agents whose newest version is of these makers. */
export const selectAgentsOfMakers = async (db: Queryable, made: Made): Promise<MadeAgent[]> => {
  const { rows } = await sql<MadeAgent>`select ${columns} from agents as agent, agent_versions as version
    where ${isMade(made)} order by agent.id limit 1000`.execute(db)
  return rows
}

/** Marks the live agents whose newest version is of these makers, so that their organization is notified until it changes them. */
export const markUnproven = async (db: Queryable, made: Made, now: Date): Promise<MadeAgent[]> => {
  const { rows } = await sql<MadeAgent>`update agents as agent set unproven_since = ${now}
    from agent_versions as version where ${isMade(made)} returning ${columns}`.execute(db)
  return rows
}

/** The live agents whose maker was not the person of the account. */
export const selectUnprovenAgents = ({ organizationId }: StateScope): RawBuilder<unknown> => sql`
  (select ${stateColumns({
    ...{ kind: 'agent.unproven', targetType: 'agent', targetId: sql`agent.id`, name: sql`version.definition->>'name'` },
    since: sql`agent.unproven_since`,
  })}
  from agents as agent join agent_versions as version on version.organization_id = agent.organization_id
    and version.agent_id = agent.id and version.version = agent.version
  where agent.organization_id = ${organizationId} and agent.unproven_since is not null and agent.archived_at is null
  order by agent.id limit ${maxStates})`
