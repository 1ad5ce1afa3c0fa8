import { z } from 'zod'
import { actor, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { message } from './messages.ts'

// Runs that follow each other: each sees the messages of those before it, and one goes on at a time.

const title = z.string().trim().min(1, 'A title has 1 to 200 characters.').max(200, 'A title has 1 to 200 characters.')
const id = z.string().min(1).max(200)

/** A conversation: of one agent where `agentId` says so, else of any of the organization's. */
export const conversation = z.object({
  id: z.string(),
  agentId: z.string().nullable(),
  title: z.string().nullable(),
  createdAt: timestamp,
  createdBy: actor,
})
export type Conversation = z.infer<typeof conversation>

const path = '/v1/conversations' as const
const result = z.object({ conversation })

/** Makes a conversation. Runs are started in it by its id. */
export const createConversation = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create a conversation',
  access: 'management',
  body: z.object({ agentId: id.optional(), title: title.optional() }),
  bodyOptional: true,
  errors: ['not_found', 'agent_archived', 'too_many_conversations'],
  status: [201],
  result,
})

/** Lists an organization's conversations by id, which is the order in which they were made. */
export const listConversations = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's conversations",
  access: 'management',
  query: z.object({ ...listQuery, agentId: id.optional() }),
  status: [200],
  list: 'conversations',
  result: z.object({ conversations: z.array(conversation), ...pageResult }),
})

/** Reads a conversation. */
export const getConversation = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a conversation',
  access: 'management',
  status: [200],
  result,
})

/** Lists the messages of all runs of a conversation, the first run's first. */
export const listConversationMessages = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/messages`,
  summary: "List a conversation's messages",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'messages',
  result: z.object({ messages: z.array(message), ...pageResult }),
})

/**
 * Deletes a conversation: no run can be started in it. Its runs are kept as long as others are. While one of them has not ended
 * it is 409 `conversation_active`: cancel that run, or wait for its end.
 */
export const deleteConversation = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a conversation',
  access: 'management',
  errors: ['conversation_active'],
  status: [200],
  result: z.object({ deleted: z.literal(true) }),
})
