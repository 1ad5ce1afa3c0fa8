import { sql } from 'kysely'
import type { Actor } from '../../../shared/actor.ts'
import { actorValue } from '../../../storage/actor-columns.ts'
import { hidesAgent, hidesConversation, isVisible, type Viewer } from '../../../storage/brain-access.ts'
import type { Queryable, Tx } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

export type ConversationRow = {
  id: string
  agentId: string | null
  title: string | null
  createdAt: Date
  createdBy: Actor
}

const columns = sql`id, agent_id as "agentId", title, created_at as "createdAt", created_by as "createdBy"`

/** Locks an organization, so that one at a time counts its conversations; true if it has this many. */
export const hasConversations = async (tx: Tx, organizationId: string, count: number): Promise<boolean> => {
  await sql`select from organization where id = ${organizationId} for no key update`.execute(tx)
  const { rows } = await sql`select from conversations where organization_id = ${organizationId} and deleted_at is null
    order by id offset ${count - 1} limit 1`.execute(tx)
  return rows.length > 0
}

export const insertConversation = async (tx: Tx, organizationId: string, given: ConversationRow) => {
  await sql`insert into conversations (organization_id, id, agent_id, title, created_at, created_by)
    values (${organizationId}, ${given.id}, ${given.agentId}, ${given.title}, ${given.createdAt},
      ${actorValue(given.createdBy)})`.execute(tx)
}

/** One conversation of an organization that was not deleted; `lock` keeps runs from being started in it meanwhile. */
export const selectConversation = async (
  db: Queryable,
  organizationId: string,
  id: string,
  { lock = false } = {},
): Promise<ConversationRow | undefined> => {
  const { rows } = await sql<ConversationRow>`select ${columns} from conversations
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null
    ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

const hidesListed = (organization: string, userId: string) => {
  const organizationId = sql`${organization}::text`
  return sql`(${hidesConversation(organizationId, sql`conversations.id`, userId)}
    or ${hidesAgent(organizationId, sql`conversations.agent_id`, userId)})`
}

export type ConversationFilter = { agentId: string | undefined; viewer: Viewer }

/** A page of an organization's conversations. */
export const selectConversations = async (
  db: Queryable,
  organizationId: string,
  { agentId, viewer }: ConversationFilter,
  page: PageRequest<string>,
) => {
  const { rows } = await sql<ConversationRow>`select ${columns} from conversations
    where organization_id = ${organizationId} and ${isAfter(sql`id`, page)} and deleted_at is null
      ${agentId === undefined ? sql`` : sql`and agent_id = ${agentId}`}
      and ${isVisible(viewer, (userId) => hidesListed(organizationId, userId))}
    ${inOrder(sql`id`, page)} limit ${page.limit}`.execute(db)
  return rows
}

/** Sets the title of a conversation that was not deleted. */
export const updateTitle = async (
  db: Queryable,
  { organizationId, id, title }: { organizationId: string; id: string; title: string | null },
): Promise<ConversationRow | undefined> => {
  const { rows } = await sql<ConversationRow>`update conversations set title = ${title}
    where organization_id = ${organizationId} and id = ${id} and deleted_at is null returning ${columns}`.execute(db)
  return rows[0]
}

/** The use of a conversation: any run at all, and any that has not ended. */
export const selectUse = async (tx: Tx, organizationId: string, id: string) => {
  const runs = sql`from runs where organization_id = ${organizationId} and conversation_id = ${id}`
  const { rows } = await sql<{ hasRuns: boolean; hasActive: boolean }>`select exists (select ${runs}) as "hasRuns",
    exists (select ${runs} and completed_at is null) as "hasActive"`.execute(tx)
  return rows[0] ?? { hasRuns: false, hasActive: false }
}

/** Deletes a conversation. Its runs keep its id, and its title is gone. */
export const removeConversation = async (
  tx: Tx,
  { organizationId, id, hasRuns, now }: { organizationId: string; id: string; hasRuns: boolean; now: Date },
) => {
  if (hasRuns)
    await sql`update conversations set deleted_at = ${now}, title = null
      where organization_id = ${organizationId} and id = ${id}`.execute(tx)
  else await sql`delete from conversations where organization_id = ${organizationId} and id = ${id}`.execute(tx)
}
