import type { ConnectorTool } from '@noema/contracts/connectors.ts'
import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { Made } from '../../../storage/makers.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** A connector without its tools: `toolCount` is null where its server was never asked. */
export type ConnectorRow = {
  id: string
  name: string
  url: string
  secret: Buffer | null
  toolCount: number | null
  toolsAt: Date | null
  serverVersion: string | null
  createdAt: Date
  updatedAt: Date
  createdBy: Actor
}
export type ConnectorRowWithTools = ConnectorRow & { tools: ConnectorTool[] | null }

const columns = sql`id, name, url, secret, json_array_length(tools) as "toolCount", tools_at as "toolsAt", server_version as "serverVersion",
  created_at as "createdAt", updated_at as "updatedAt", created_by as "createdBy"`

/** Locks an organization, so that one connector at a time is counted and named; returns the facts about the others. */
export const lockOtherConnectors = async (
  tx: Tx,
  organizationId: string,
  { id, name }: { id: string; name: string },
) => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql<{ count: number; isNameTaken: boolean }>`
    select count(*) as count, coalesce(bool_or(name = ${name}), false) as "isNameTaken" from connectors
    where organization_id = ${organizationId} and id <> ${id}`.execute(tx)
  return rows[0] ?? { count: 0, isNameTaken: false }
}

type Stored = Pick<ConnectorRow, 'id' | 'name' | 'url' | 'secret' | 'createdBy'> & { organizationId: string; now: Date }

/** Inserts a connector, or changes the one of this id; `forgetsTools` where they may be others now. */
export const upsertConnector = async (
  tx: Tx,
  { organizationId, id, name, url, secret, createdBy, now }: Stored,
  { forgetsTools }: { forgetsTools: boolean },
): Promise<ConnectorRow> => {
  const kept = (column: string) => (forgetsTools ? sql`null` : sql`connector.${sql.ref(column)}`)
  const { rows } = await sql<ConnectorRow>`
    insert into connectors as connector (organization_id, id, name, url, secret, created_at, updated_at, created_by)
    values (${organizationId}, ${id}, ${name}, ${url}, ${secret}, ${now}, ${now}, ${actorValue(createdBy)})
    on conflict (organization_id, id) do update set name = excluded.name, url = excluded.url, secret = excluded.secret,
      updated_at = excluded.updated_at, created_by = excluded.created_by, tools = ${kept('tools')},
      tools_at = ${kept('tools_at')}, server_version = ${kept('server_version')}
    returning ${columns}`.execute(tx)
  const [row] = rows
  if (!row) throw new Error('A connector was neither inserted nor changed.')
  return row
}

/** A page of an organization's connectors, by id. */
export const selectConnectors = async (db: Queryable, organizationId: string, page: PageRequest<string>) => {
  const { rows } = await sql<ConnectorRow>`select ${columns} from connectors
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)} ${inOrder(sql`id`, page)}
    limit ${page.limit}`.execute(db)
  return rows
}

/** Some connectors of an organization, with their tools. */
export const selectConnectorsWithTools = async (db: Queryable, organizationId: string, ids: readonly string[]) => {
  const { rows } = await sql<ConnectorRowWithTools>`select ${columns}, tools from connectors
    where organization_id = ${organizationId} and id = any(${[...ids]}::text[])`.execute(db)
  return rows
}

/** One connector, locked until the transaction ends. */
export const lockConnector = async (tx: Tx, organizationId: string, id: string): Promise<ConnectorRow | undefined> => {
  const { rows } = await sql<ConnectorRow>`select ${columns} from connectors
    where organization_id = ${organizationId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

/** Keeps the tools that a server offered, unless the connector was changed since it was asked. */
export const updateTools = (
  db: Queryable,
  organizationId: string,
  { id, updatedAt }: Pick<ConnectorRow, 'id' | 'updatedAt'>,
  { tools, serverVersion, now }: { tools: readonly ConnectorTool[]; serverVersion: string | null; now: Date },
) =>
  sql`update connectors set tools = ${JSON.stringify(tools)}::json, tools_at = ${now}, server_version = ${serverVersion}
    where organization_id = ${organizationId} and id = ${id} and updated_at = ${updatedAt}`.execute(db)

export const removeConnector = async (db: Queryable, organizationId: string, id: string): Promise<boolean> => {
  const { rows } = await sql`delete from connectors
    where organization_id = ${organizationId} and id = ${id} returning id`.execute(db)
  return rows.length > 0
}

/** The connectors that these makers set up last in these organizations. */
export const selectConnectorsOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; name: string; url: string }>`
    select id, name, url from connectors
    where organization_id = any(${[...organizationIds]}) and created_by->>'id' = any(${[...makers]})
    order by id limit 1000`.execute(db)
  return rows
}

/** Deletes what these makers set up last in these organizations. */
export const removeConnectorsOfMakers = async (db: Queryable, { makers, organizationIds }: Made) => {
  const { rows } = await sql<{ id: string; name: string; url: string }>`
    delete from connectors
    where organization_id = any(${[...organizationIds]}) and created_by->>'id' = any(${[...makers]})
    returning id, name, url`.execute(db)
  return rows
}
