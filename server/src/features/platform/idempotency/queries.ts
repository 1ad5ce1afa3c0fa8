import { type RawBuilder, sql } from 'kysely'
import type { Queryable } from '../../../storage/database.ts'

/** A stored answer: who sent the request under which key, a hash of the request, and what it was answered. */
export type AnswerRow = { sender: string; key: string; fingerprint: Buffer; code: number; data: string }

/** The answers that are stored for these keys of these senders. */
export const selectAnswers = async (
  db: Queryable,
  brainId: number,
  wanted: readonly { sender: string; key: string }[],
): Promise<AnswerRow[]> => {
  const { rows } = await sql<AnswerRow>`
    select key_id as sender, idempotency_key as key, fingerprint, status as code, answer as data
    from idempotency_answers join unnest(${wanted.map(({ sender }) => sender)}::text[], ${wanted.map(({ key }) => key)}::text[])
      as wanted (sender, name) on key_id = wanted.sender and idempotency_key = wanted.name
    where brain_id = ${brainId}`.execute(db)
  return rows
}

/** Stores answers, as one part of the statement that lands their writes. */
export const insertAnswerRows = (brainId: number, at: Date, rows: readonly AnswerRow[]): RawBuilder<unknown> => {
  const records = rows.map(({ fingerprint, ...row }) => ({ ...row, fingerprint: fingerprint.toString('hex') }))
  return sql`
    insert into idempotency_answers (brain_id, key_id, idempotency_key, fingerprint, status, answer, created_at)
    select ${brainId}::bigint, sender, key, decode(fingerprint, 'hex'), code, data, ${at}
    from json_to_recordset(${JSON.stringify(records)}::json)
      as row (sender text, key text, fingerprint text, code integer, data text)`
}
