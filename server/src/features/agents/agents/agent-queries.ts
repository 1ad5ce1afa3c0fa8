import type { AgentDefinition } from '@noema/contracts/agents.ts'
import { maxPageBytes } from '@noema/contracts/common.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesAgent, hidesDefinition, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** An agent in its newest version, or in another. */
export type AgentRow = {
  id: string
  projectId: string
  version: number
  definition: AgentDefinition
  createdAt: Date
  archivedAt: Date | null
  updatedAt: Date
  updatedBy: Actor
}

const columns = sql`agent.id, agent.project_id as "projectId", agent.version, agent.created_at as "createdAt",
  agent.archived_at as "archivedAt", version.definition, version.created_at as "updatedAt", version.created_by as "updatedBy"`

const withVersion = sql`agents as agent join agent_versions as version
  on version.organization_id = agent.organization_id and version.agent_id = agent.id and version.version = agent.version`

/** True if a viewer may see every Brain that a definition names. */
const isDefinitionShown = (organizationId: string, definition: RawBuilder<unknown>, viewer: Viewer) =>
  isVisible(viewer, (userId) => hidesDefinition(sql`${organizationId}::text`, definition, userId))

/** One agent of an organization that a viewer may see, archived or not; `lock` says what is kept from it until the transaction ends. */
export const selectAgent = async (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock, viewer }: { lock?: 'change' | 'archiving'; viewer?: Viewer } = {},
): Promise<AgentRow | undefined> => {
  // Locked first and read then: who waited for the lock sees the version that came meanwhile.
  const locking = { change: sql`for no key update`, archiving: sql`for share` }
  if (lock)
    await sql`select from agents where organization_id = ${organizationId} and id = ${id} ${locking[lock]}`.execute(db)
  const { rows } = await sql<AgentRow>`select ${columns} from ${withVersion}
    where agent.organization_id = ${organizationId} and agent.id = ${id}
      and ${isDefinitionShown(organizationId, sql`version.definition`, viewer)}`.execute(db)
  return rows[0]
}

/** The definition of an agent in one version, if a viewer may see it. */
export const selectDefinition = async (
  db: Queryable,
  { organizationId, id, version }: { organizationId: string; id: string; version: number },
  viewer?: Viewer,
): Promise<AgentDefinition | undefined> => {
  const { rows } = await sql<{ definition: AgentDefinition }>`select definition from agent_versions
    where organization_id = ${organizationId} and agent_id = ${id} and version = ${version}
      and ${isDefinitionShown(organizationId, sql`definition`, viewer)}`.execute(db)
  return rows[0]?.definition
}

const isAgentShown = (viewer: Viewer) =>
  isVisible(viewer, (userId) => hidesAgent(sql`live.organization_id`, sql`live.id`, userId))

/** The columns that starting a run needs. */
export type StartableAgent = Pick<AgentRow, 'id' | 'projectId' | 'version' | 'definition'> & { isArchived: boolean }

/** A StartableAgent of an organization in its newest version, or null, as a column of another statement. */
export const startableAgent = (
  organizationId: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  (select json_build_object('id', agent.id, 'projectId', agent.project_id, 'version', agent.version,
      'definition', version.definition, 'isArchived', agent.archived_at is not null)
    from ${withVersion} where agent.organization_id = ${organizationId} and agent.id = ${id})`

/** Which of these ids are agents of an organization that are not archived. */
export const selectLiveAgents = async (
  db: Queryable,
  organizationId: string,
  ids: readonly string[],
  viewer?: Viewer,
) => {
  const { rows } = await sql<{ id: string }>`select id from agents as live
    where organization_id = ${organizationId} and id = any(${[...ids]}) and archived_at is null
      and ${isAgentShown(viewer)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Some live agents of an organization, for who named one that is not there. */
export const selectSomeAgents = async (db: Queryable, organizationId: string, limit: number, viewer?: Viewer) => {
  const { rows } = await sql<{ id: string }>`select id from agents as live
    where organization_id = ${organizationId} and archived_at is null
      and ${isAgentShown(viewer)}
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Locks an organization until the transaction ends, so that its agents are counted by one at a time. */
export const lockOrganization = (tx: Tx, organizationId: string) =>
  sql`select from organization where id = ${organizationId} for no key update`.execute(tx)

/** The numbers of live agents of an organization, and of the versions that it keeps. */
export const countAgents = async (tx: Tx, organizationId: string): Promise<{ agents: number; versions: number }> => {
  const { rows } = await sql<{ agents: number; versions: number }>`select
    (select count(*) from agents where organization_id = ${organizationId} and archived_at is null) as agents,
    (select count(*) from agent_versions where organization_id = ${organizationId}) as versions`.execute(tx)
  return rows[0] ?? { agents: 0, versions: 0 }
}

type NewVersion = { id: string; version: number; definition: AgentDefinition; createdBy: Actor; now: Date }

const insertVersion = (tx: Tx, organizationId: string, { id, version, definition, createdBy, now }: NewVersion) =>
  sql`insert into agent_versions (organization_id, agent_id, version, definition, created_at, created_by)
    values (${organizationId}, ${id}, ${version}, ${JSON.stringify(definition)}::json, ${now}, ${actorValue(createdBy)})`.execute(
    tx,
  )

/** Inserts an agent with its first version. */
export const insertAgent = async (tx: Tx, organizationId: string, given: NewVersion & { projectId: string }) => {
  await insertVersion(tx, organizationId, given)
  await sql`insert into agents (organization_id, id, project_id, version, created_at)
    values (${organizationId}, ${given.id}, ${given.projectId}, ${given.version}, ${given.now})`.execute(tx)
}

/** Inserts the next version of an agent that is locked. */
export const insertNextVersion = async (tx: Tx, organizationId: string, given: NewVersion) => {
  await insertVersion(tx, organizationId, given)
  await sql`update agents set version = ${given.version}, unproven_since = null
    where organization_id = ${organizationId} and id = ${given.id}`.execute(tx)
}

/** Archives an agent; one that is archived keeps its time. */
export const archiveAgentRow = (tx: Tx, organizationId: string, id: string, now: Date) =>
  sql`update agents set archived_at = coalesce(archived_at, ${now})
    where organization_id = ${organizationId} and id = ${id}`.execute(tx)

const sizes = {
  size: sql`pg_column_size(definition)`,
  length: sql`octet_length(definition::text)`,
}

/** Cuts rows to the size of a page, and returns how many there were. */
const selectPage = async <Row>(
  db: Queryable,
  rows: RawBuilder<unknown>,
  page: PageRequest<string> | PageRequest<number>,
): Promise<{ rows: Row[]; found: number }> => {
  const cut = cutByLength({ rows, ...sizes }, { ...page, maxBytes: maxPageBytes / 2 })
  const read = await sql<
    Row & { found: number }
  >`select * from (${cut}) as fitting ${inOrder(sql`place`, page)}`.execute(db)
  return { rows: read.rows, found: read.rows[0]?.found ?? 0 }
}

export type AgentFilter = { projectId: string | undefined; archived: boolean | undefined; viewer: Viewer }

/** A page of an organization's agents, and how many were found for it. */
export const selectAgents = (
  db: Queryable,
  organizationId: string,
  { projectId, archived, viewer }: AgentFilter,
  page: PageRequest<string>,
) => {
  const listed = sql`select agent.id as place, ${columns} from ${withVersion}
    where agent.organization_id = ${organizationId} and ${isAfter(sql`agent.id`, page)}
      ${projectId === undefined ? sql`` : sql`and agent.project_id = ${projectId}`}
      ${archived === undefined ? sql`` : archived ? sql`and archived_at is not null` : sql`and archived_at is null`}
      and ${isDefinitionShown(organizationId, sql`version.definition`, viewer)}
    ${inOrder(sql`agent.id`, page)} limit ${page.limit + 1}`
  return selectPage<AgentRow>(db, listed, page)
}

export type VersionRow = { version: number; definition: AgentDefinition; createdAt: Date; createdBy: Actor }

/** A page of an agent's versions, and how many were found for it. */
export const selectVersions = (
  db: Queryable,
  { organizationId, id, viewer }: { organizationId: string; id: string; viewer?: Viewer },
  page: PageRequest<number>,
) => {
  const listed = sql`select version as place, version, definition, created_at as "createdAt", created_by as "createdBy"
    from agent_versions where organization_id = ${organizationId} and agent_id = ${id} and ${isAfter(sql`version`, page)}
      and ${isDefinitionShown(organizationId, sql`definition`, viewer)}
    ${inOrder(sql`version`, page)} limit ${page.limit + 1}`
  return selectPage<VersionRow>(db, listed, page)
}

/** The number of an organization's agents that are not archived and that a viewer may see. */
export const countLiveAgents = async (db: Queryable, organizationId: string, viewer?: Viewer): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) as count from agents as live
    where organization_id = ${organizationId} and archived_at is null
      and ${isAgentShown(viewer)}`.execute(db)
  return rows[0]?.count ?? 0
}
