import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { conflict } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/json.ts'
import type { Queryable } from '../../../storage/database.ts'

// The answers of writes that carried a key are stored by the write's own transaction, so a crash between the work and
// its answer cannot do the work twice (IDM-04). They are kept as long as the Brain exists (IDM-02).

/** A write's key, scoped to the actor that sent it (by its id), and a hash of what the write asked for. */
export type IdempotencyClaim = { sender: string; key: string; fingerprint: Buffer }

/** What became of a call. A refusal that left something behind is stored like an answer. */
export type Outcome = 'done' | 'created' | 'staged' | 'refused'

/** An answer as it was given: what became of the call, and the JSON text of its data. */
export type StoredAnswer = { outcome: Outcome; data: string }

/** The numbers that stand for outcomes in the tables: HTTP's, which they have always been stored as. */
const outcomeCodes = { done: 200, created: 201, staged: 202, refused: 409 } as const satisfies Record<Outcome, number>

export const toOutcomeCode = (outcome: Outcome): number => outcomeCodes[outcome]

export const toOutcome = (code: number): Outcome => {
  const found = Object.entries(outcomeCodes).find(([, number]) => number === code)
  if (!found) throw new Error(`No outcome is stored as ${code}.`)
  return found[0] as Outcome
}

/** What tells one request from another: everything that decides its outcome. */
export const fingerprintOf = (request: unknown): Buffer => createHash('sha256').update(canonicalJson(request)).digest()

/** The claim of a request that carried a key, if any. */
export const toClaim = (sender: string, key: string | undefined, request: unknown): IdempotencyClaim | undefined =>
  key === undefined ? undefined : { sender, key, fingerprint: fingerprintOf(request) }

type GivenAnswer = StoredAnswer & { fingerprint: Buffer }

const nameOf = ({ sender, key }: { sender: string; key: string }): string => `${sender} ${key}`

/** The answers that keys of a Brain were given: those that are stored, and those that a commit batch gives. */
export class Answers {
  readonly #given = new Map<string, GivenAnswer>()
  readonly #made: { claim: IdempotencyClaim; answer: StoredAnswer }[] = []

  /** Takes in an answer that is stored. */
  know(answer: GivenAnswer & { sender: string; key: string }): void {
    this.#given.set(nameOf(answer), answer)
  }

  has(claim: IdempotencyClaim): boolean {
    return this.#given.has(nameOf(claim))
  }

  /** The answer that a claim was given before. Refuses a key that was used for another request (IDM-01). */
  find(claim: IdempotencyClaim): StoredAnswer | undefined {
    const given = this.#given.get(nameOf(claim))
    if (given && !given.fingerprint.equals(claim.fingerprint))
      throw conflict('This idempotency key was used for another request. Send a new key with a new request.', {
        code: 'idempotency_key_reused',
      })
    return given
  }

  give(claim: IdempotencyClaim, answer: StoredAnswer): void {
    this.#given.set(nameOf(claim), { ...answer, fingerprint: claim.fingerprint })
    this.#made.push({ claim, answer })
  }

  /** The insert of the answers that were given, if any. */
  inserts(brainId: number, at: Date): RawBuilder<unknown>[] {
    return this.#made.length > 0 ? [insertAnswers(brainId, at, this.#made)] : []
  }
}

/** The answers already given to these claims. */
export const loadAnswers = async (
  db: Queryable,
  brainId: number,
  claims: readonly IdempotencyClaim[],
): Promise<Answers> => {
  const answers = new Answers()
  if (claims.length === 0) return answers
  const { rows } = await sql<{ sender: string; key: string; fingerprint: Buffer; code: number; data: string }>`
    select key_id as sender, idempotency_key as key, fingerprint, status as code, answer as data
    from idempotency_answers join unnest(${claims.map((claim) => claim.sender)}::text[], ${claims.map((claim) => claim.key)}::text[])
      as wanted (sender, name) on key_id = wanted.sender and idempotency_key = wanted.name
    where brain_id = ${brainId}`.execute(db)
  for (const { code, ...row } of rows) answers.know({ ...row, outcome: toOutcome(code) })
  return answers
}

/** Stores answers, as one part of the statement that lands their writes. */
const insertAnswers = (
  brainId: number,
  at: Date,
  rows: readonly { claim: IdempotencyClaim; answer: StoredAnswer }[],
): RawBuilder<unknown> => {
  const records = rows.map(({ claim, answer }) => ({
    key_id: claim.sender,
    idempotency_key: claim.key,
    fingerprint: claim.fingerprint.toString('hex'),
    status: toOutcomeCode(answer.outcome),
    answer: answer.data,
  }))
  return sql`
    insert into idempotency_answers (brain_id, key_id, idempotency_key, fingerprint, status, answer, created_at)
    select ${brainId}::bigint, key_id, idempotency_key, decode(fingerprint, 'hex'), status, answer, ${at}
    from json_to_recordset(${JSON.stringify(records)}::json)
      as row (key_id text, idempotency_key text, fingerprint text, status integer, answer text)`
}
