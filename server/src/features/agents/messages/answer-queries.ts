import type { MessagePart, MessageRole } from '@noema/contracts/messages.ts'
import { sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

type RunKey = { organizationId: string; id: string }

/** A message that a model wrote in a run. */
export type WrittenMessage = { operationId: string; parts: MessagePart[] }

/** The messages that the models of a run wrote, in their order. */
export const selectWritten = async (
  db: Queryable,
  { organizationId, id }: RunKey,
  limit: number,
): Promise<WrittenMessage[]> => {
  const { rows } = await sql<WrittenMessage>`
    select operation_id as "operationId", parts from run_messages where organization_id = ${organizationId}
      and run_id = ${id} and role = 'assistant' and operation_id is not null
    order by position limit ${limit}`.execute(db)
  return rows
}

/** The details of a run that its answers need: its only Brain, if it has one, and its tokens. */
export type AnswerDetails = { brainHandle: string | null; cachedTokens: number; reasoningTokens: number }

export const selectAnswerDetails = async (
  db: Queryable,
  { organizationId, id }: RunKey,
): Promise<AnswerDetails | undefined> => {
  const { rows } = await sql<AnswerDetails>`
    select run.brain_handle as "brainHandle", tokens.cached as "cachedTokens", tokens.reasoning as "reasoningTokens"
    from runs as run cross join lateral (
      select coalesce(sum(cache_read_tokens), 0)::bigint as cached, coalesce(sum(reasoning_tokens), 0)::bigint as reasoning
      from run_operations where organization_id = ${organizationId} and run_id = ${id}) as tokens
    where run.organization_id = ${organizationId} and run.id = ${id}`.execute(db)
  return rows[0]
}

type Spoken = { role: MessageRole; text: string }

/**
 * What was said up to the end of a run, in it and in the earlier runs of its conversation: the newest texts of people, models and
 * the system, at most so many and so many bytes, the first said first. `instructed`: leaves out the message that a run began with
 * if its metadata has this property of `openai`.
 */
export const selectSpoken = async (
  db: Queryable,
  { organizationId, id, conversationId }: RunKey & { conversationId: string | null },
  { limit, maxBytes, instructed }: { limit: number; maxBytes: number; instructed: string },
): Promise<Spoken[]> => {
  const runs =
    conversationId === null ? sql`run.id = ${id}` : sql`run.conversation_id = ${conversationId} and run.id <= ${id}`
  const { rows } = await sql<Spoken>`
    select role, text from (
      select newest.*, sum(octet_length(text)) over (order by run_id desc, position desc rows unbounded preceding) as size
      from (
        select message.run_id, message.position, message.role, message.text
        from runs as run join run_messages as message
          on message.organization_id = run.organization_id and message.run_id = run.id
        where run.organization_id = ${organizationId} and ${runs}
          and message.role <> 'tool' and message.text <> ''
          and not (message.position = 1 and message.role = 'system'
            and run.metadata->'openai'->>${instructed}::text is not null)
        order by message.run_id desc, message.position desc limit ${limit}) as newest) as said
    where size <= ${maxBytes} order by run_id, position limit ${limit}`.execute(db)
  return rows
}
