import type { Conversation, createConversation } from '@noema/contracts/conversations.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { Limits } from '../../../config/config.ts'
import { type Actor, summarizeActor } from '../../../shared/actor.ts'
import type { Clock } from '../../../shared/clock.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import { newId } from '../../../shared/ids.ts'
import type { Db, Tx } from '../../../storage/database.ts'
import { holdAccess } from '../../accounts/keys/revoking.ts'
import type { List, PageQuery, PageRequest } from '../../platform/cursors/cursors.ts'
import { archivedAgent, findAgent, unknownAgent } from '../agents/agents.ts'
import { listMessagePage } from '../messages/messages.ts'
import {
  type ConversationFilter,
  type ConversationRow,
  hasConversations,
  insertConversation,
  removeConversation,
  selectConversation,
  selectConversations,
  selectUse,
  updateTitle,
} from './queries.ts'

// Runs that follow each other. Starting or ending a run of a conversation locks its row, so that only one runs at a time.

type Deps = { db: Db; clock: Clock; limits: Pick<Limits, 'conversations'> }
type Target = { organizationId: string; id: string }

const conversationView = ({ createdAt, createdBy, ...row }: ConversationRow): Conversation => ({
  ...row,
  createdAt: createdAt.toISOString(),
  createdBy: summarizeActor(createdBy),
})

/** The refusal of an id that no conversation of the organization has. */
export const noSuchConversation = (id: string) =>
  notFound(`This organization has no conversation ${JSON.stringify(id)}.`)

type NewConversation = { organizationId: string; createdBy: Actor; agentId: string | null; title: string | null }

/** Adds a conversation, in the transaction of its caller. Throws where the organization has as many as it may. */
export const addConversation = async (
  tx: Tx,
  { clock, limits }: Pick<Deps, 'clock' | 'limits'>,
  { organizationId, ...given }: NewConversation,
): Promise<ConversationRow> => {
  if (await hasConversations(tx, organizationId, limits.conversations))
    throw conflict(
      `This organization has ${limits.conversations} conversations, which is the maximum. Delete some first.`,
      { code: 'too_many_conversations' },
    )
  const createdAt = clock.now()
  const row = { id: newId('cnv', createdAt), createdAt, ...given }
  await insertConversation(tx, organizationId, row)
  return row
}

/** Makes a conversation. */
export const makeConversation = (
  deps: Deps,
  { organizationId, createdBy }: { organizationId: string; createdBy: Actor },
  { agentId, title }: BodyOutput<typeof createConversation>,
): Promise<Conversation> =>
  deps.db.transaction().execute(async (tx) => {
    await holdAccess(tx, createdBy, { organizationId })
    const agent =
      agentId === undefined
        ? undefined
        : await findAgent(tx, organizationId, agentId, {
            lock: true,
            viewer: createdBy.userId,
          })
    if (agentId !== undefined && !agent) throw unknownAgent(['agentId'], agentId)
    if (agent && agent.archivedAt !== null) throw archivedAgent()
    const named = { agentId: agentId ?? null, title: title ?? null }
    return conversationView(await addConversation(tx, deps, { organizationId, createdBy, ...named }))
  })

/** A conversation as answers show it. */
export const readConversation = async ({ db }: Pick<Deps, 'db'>, { organizationId, id }: Target) => {
  const row = await selectConversation(db, organizationId, id)
  if (!row) throw noSuchConversation(id)
  return conversationView(row)
}

/** Gives a conversation another title, or none; undefined leaves it as it is. */
export const renameConversation = async (
  { db }: Pick<Deps, 'db'>,
  { organizationId, id }: Target,
  title: string | null | undefined,
): Promise<Conversation> => {
  if (title === undefined) return readConversation({ db }, { organizationId, id })
  const row = await updateTitle(db, { organizationId, id, title })
  if (!row) throw noSuchConversation(id)
  return conversationView(row)
}

/** A page of an organization's conversations, all or those of one agent. */
export const listConversationPage = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  filter: ConversationFilter,
  page: PageRequest<string>,
) => (await selectConversations(db, organizationId, filter, page)).map(conversationView)

/** A page of the messages of a conversation's runs. */
export const listMessagesOfConversation = async (
  deps: Pick<Deps, 'db'>,
  target: Target,
  request: { list: List<string>; query: PageQuery },
) => {
  await readConversation(deps, target)
  return listMessagePage(deps, { organizationId: target.organizationId, conversationId: target.id }, request)
}

/** Deletes a conversation none of whose runs goes on. */
export const deleteConversation = (deps: Deps, { organizationId, id }: Target): Promise<void> =>
  deps.db.transaction().execute(async (tx) => {
    if (!(await selectConversation(tx, organizationId, id, { lock: true }))) throw noSuchConversation(id)
    const { hasRuns, hasActive } = await selectUse(tx, organizationId, id)
    if (hasActive)
      throw conflict('A run of this conversation has not ended. Cancel it, or wait for its end.', {
        code: 'conversation_active',
      })
    await removeConversation(tx, { organizationId, id, hasRuns, now: deps.clock.now() })
  })
