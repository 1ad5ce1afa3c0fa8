import { sql } from 'kysely'
import { defineStatement } from '../../../storage/statements.ts'

/** A stored answer: the sender of the request and its key, a hash of the request, and the answer. */
export type AnswerRow = { sender: string; key: string; fingerprint: Buffer; code: number; data: string }

/** Selects the stored answers for keys of senders; `requested` is a JSON list of `{ sender, key }`. */
export const selectAnswers = defineStatement<{ brainId: number; requested: string }, AnswerRow>(
  ({ brainId, requested }) => sql<AnswerRow>`
    select key_id as sender, idempotency_key as key, fingerprint, status as code, answer as data
    from idempotency_answers join json_to_recordset(${requested}::json) as requested (sender text, key text)
      on key_id = requested.sender and idempotency_key = requested.key
    where brain_id = ${brainId}`,
)

/** Stores answers, as JSON text, as one part of the statement that commits their writes. */
export const insertAnswers = defineStatement<{ brainId: number; at: string; rows: string }, object>(
  ({ brainId, at, rows }) => sql`
    insert into idempotency_answers (brain_id, key_id, idempotency_key, fingerprint, status, answer, created_at)
    select ${brainId}::bigint, sender, key, decode(fingerprint, 'hex'), code, data, ${at}::timestamptz
    from json_to_recordset(${rows}::json)
      as row (sender text, key text, fingerprint text, code integer, data text)`,
)
