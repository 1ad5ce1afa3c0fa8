import type { Message } from '@noema/contracts/messages.ts'
import type { Db } from '../../../storage/database.ts'
import { endPage, type List, openPage, type PageQuery } from '../../platform/cursors/cursors.ts'
import { type MessageRow, selectConversationMessages, selectRunMessages } from './queries.ts'

// The messages of runs, by people, models and tools.

/** Whose messages are read: those of one run, or those of all runs of a conversation. */
export type MessagesOf = { organizationId: string } & ({ runId: string } | { conversationId: string })

const messageView = ({ id, role, parts, text, runId, createdAt, operationId }: MessageRow): Message => ({
  ...{ id, role, parts, text, runId },
  createdAt: createdAt.toISOString(),
  ...(operationId === null ? {} : { operationId }),
})

/** A page of messages in their order. It ends early where they are long. */
export const listMessagePage = async (
  { db }: { db: Db },
  target: MessagesOf,
  { list, query }: { list: List<string>; query: PageQuery },
) => {
  const page = await openPage(list, query)
  const request = { ...query, after: page.after }
  const { organizationId } = target
  const { rows, found } =
    'runId' in target
      ? await selectRunMessages(db, organizationId, target.runId, request)
      : await selectConversationMessages(db, organizationId, target.conversationId, request)
  const cursor = endPage(page, rows.at(-1)?.place)
  return { messages: rows.map(messageView), cursor, hasMore: found > rows.length }
}
