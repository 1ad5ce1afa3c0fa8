import { maxPageBytes } from '@noema/contracts/common.ts'
import type { Message } from '@noema/contracts/messages.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'
import type { PageRequest } from '../../platform/cursors/cursors.ts'
import { cutByLength, inOrder, isAfter } from '../../platform/cursors/page-queries.ts'

/** A message, and its position in its run or conversation. */
export type MessageRow = Omit<Message, 'createdAt' | 'operationId'> & {
  place: string
  createdAt: Date
  operationId: string | null
}

type Page = PageRequest<string>

// The run, and the number of the message in it with leading zeros: text that is ordered as both are.
const place = sql`message.run_id || ':' || lpad(message.position::text, 10, '0')`

const toRun = (text: string): string => text.slice(0, text.indexOf(':'))

const toListed = (organizationId: string, runs: RawBuilder<unknown>, page: Page) => sql`
  select * from (
    select ${place} as place, message.id, message.role, message.parts, message.text, message.created_at as "createdAt",
      message.run_id as "runId", message.operation_id as "operationId"
    from (${runs}) as run join run_messages as message
      on message.organization_id = ${organizationId} and message.run_id = run.id) as message
  where ${isAfter(sql`place`, page)} ${inOrder(sql`place`, page)} limit ${page.limit + 1}`

const selectPage = async (db: Queryable, rows: RawBuilder<unknown>, page: Page) => {
  const sizes = { size: sql`pg_column_size(parts)`, length: sql`octet_length(parts::text) + octet_length(text)` }
  const cut = cutByLength({ rows, ...sizes }, { ...page, maxBytes: maxPageBytes / 2 })
  const read = await sql<MessageRow & { found: number }>`select * from (${cut}) as fitting
    ${inOrder(sql`place`, page)}`.execute(db)
  return { rows: read.rows.map(({ found, ...row }) => row), found: read.rows[0]?.found ?? 0 }
}

/** A page of a run's messages in their order, and how many were found for it. */
export const selectRunMessages = (db: Queryable, organizationId: string, runId: string, page: Page) =>
  selectPage(db, toListed(organizationId, sql`select ${runId}::text as id`, page), page)

/** A page of the messages of a conversation's runs in their order, and how many were found for it. */
export const selectConversationMessages = (
  db: Queryable,
  organizationId: string,
  conversationId: string,
  page: Page,
) => {
  const { after, order } = page
  const from =
    after === undefined ? sql`true` : order === 'desc' ? sql`id <= ${toRun(after)}` : sql`id >= ${toRun(after)}`
  // Each run has one message at least, which it was started with.
  const runs = sql`select id from runs where organization_id = ${organizationId} and conversation_id = ${conversationId}
    and ${from} ${inOrder(sql`id`, page)} limit ${page.limit + 2}`
  return selectPage(db, toListed(organizationId, runs, page), page)
}
