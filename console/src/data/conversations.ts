import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { Session } from '../session/session.tsx'
import { paging } from './paging.ts'

/** The organization's conversations, newest first. */
export const conversationsQuery = ({ organization, client }: Session) =>
  infiniteQueryOptions({
    queryKey: [organization.id, 'conversations', 'list'],
    queryFn: ({ pageParam, signal }) =>
      client.conversations.list({ order: 'desc', after: pageParam, limit: 500 }, { signal }),
    ...paging,
  })

export const conversationQuery = ({ organization, client }: Session, id: string) =>
  queryOptions({
    queryKey: [organization.id, 'conversations', 'conversation', id],
    queryFn: async ({ signal }) => (await client.conversations.get(id, { signal })).conversation,
  })

/** The messages of a conversation, oldest first. They are read again when another run is the newest that has ended. */
export const conversationMessagesQuery = ({ organization, client }: Session, id: string, endedRun?: string) =>
  queryOptions({
    queryKey: [organization.id, 'conversations', 'conversation', id, 'messages', endedRun ?? null],
    queryFn: async ({ signal }) => {
      const { messages } = await client.conversations.messages(id, { order: 'desc', limit: 500 }, { signal })
      return messages.toReversed()
    },
  })
