import { z } from 'zod'
import { actor, deletedResult, itemId, listQuery, pageResult, timestamp } from './common.ts'
import { defineEndpoint } from './endpoint.ts'
import { message } from './messages.ts'

// Runs in sequence: each sees the messages of earlier ones, and only one is active at a time.

const title = z.string().trim().min(1, 'A title has 1 to 200 characters.').max(200, 'A title has 1 to 200 characters.')
const id = z.string().min(1).max(200)

export const conversation = z
  .object({
    id: itemId,
    agentId: z.string().nullable().describe('The id of the agent.'),
    title: z.string().nullable().describe('The title, for people.'),
    createdAt: timestamp,
    createdBy: actor.describe('Who created it.'),
  })
  .describe("A conversation: of one agent where `agentId` says so, else of any of the organization's.")
export type Conversation = z.infer<typeof conversation>

const path = '/v1/conversations' as const
const result = z.object({ conversation: conversation.describe('The conversation.') }).describe('The conversation.')

export const createConversation = defineEndpoint({
  method: 'POST',
  path,
  summary: 'Create a conversation',
  description: 'Makes a conversation. Runs are started in it by its id.',
  access: 'management',
  body: z.object({
    agentId: id.optional().describe('The id of the agent.'),
    title: title.optional().describe('The title, for people.'),
  }),
  bodyOptional: true,
  errors: ['not_found', 'agent_archived', 'too_many_conversations'],
  status: [201],
  result,
})

export const listConversations = defineEndpoint({
  method: 'GET',
  path,
  summary: "List the organization's conversations",
  description: "Lists an organization's conversations by id, which is the order in which they were made.",
  access: 'management',
  query: z.object({ ...listQuery, agentId: id.optional().describe('Only those of this agent.') }),
  status: [200],
  list: 'conversations',
  result: z.object({ conversations: z.array(conversation).describe('The conversations.'), ...pageResult }),
})

export const getConversation = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a conversation',
  description: 'Reads a conversation.',
  access: 'management',
  status: [200],
  result,
})

export const patchConversation = defineEndpoint({
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Rename a conversation',
  description: 'Changes the title of a conversation; null takes it away.',
  access: 'management',
  body: z.object({ title: title.nullable().optional().describe('The title, for people.') }),
  status: [200],
  result,
})

export const listConversationMessages = defineEndpoint({
  method: 'GET',
  path: `${path}/{id}/messages`,
  summary: "List a conversation's messages",
  description: "Lists the messages of all runs of a conversation, the first run's first.",
  access: 'management',
  query: z.object(listQuery),
  status: [200],
  list: 'messages',
  result: z.object({ messages: z.array(message).describe('The messages.'), ...pageResult }),
})

export const deleteConversation = defineEndpoint({
  method: 'DELETE',
  path: `${path}/{id}`,
  summary: 'Delete a conversation',
  description:
    'Deletes a conversation: no run can be started in it. Its runs are kept as long as others are. While one of them ' +
    'has not ended it is 409 `conversation_active`: cancel that run, or wait for its end.',
  access: 'management',
  errors: ['conversation_active'],
  status: [200],
  result: deletedResult,
})
