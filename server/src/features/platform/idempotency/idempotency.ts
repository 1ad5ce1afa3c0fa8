import { createHash } from 'node:crypto'
import { conflict } from '../../../shared/errors.ts'
import { canonicalJson } from '../../../shared/text/json.ts'
import type { Queryable } from '../../../storage/database.ts'
import { runStatement, type Statement } from '../../../storage/statements.ts'
import { insertAnswers, selectAnswers } from './queries.ts'

// The answer of a write with a key is stored by the write's own transaction, so a crash between the work and its answer
// cannot repeat the work (IDM-04). It is kept as long as the Brain exists (IDM-02).

/** A write's key, scoped to the actor that sent it (by its id), and a hash of the request. */
export type IdempotencyClaim = { sender: string; key: string; name: string; fingerprint: Buffer }

/** The outcome of a call. A refusal that left something behind is stored like an answer. */
export type Outcome = 'done' | 'created' | 'staged' | 'refused'

/** An answer as it was given: the outcome of the call, and the JSON text of its data. */
export type StoredAnswer = { outcome: Outcome; data: string }

/** The numbers of outcomes in the tables: they have always been stored as HTTP's. */
const outcomeCodes = { done: 200, created: 201, staged: 202, refused: 409 } as const satisfies Record<Outcome, number>

export const toOutcomeCode = (outcome: Outcome): number => outcomeCodes[outcome]

export const toOutcome = (code: number): Outcome => {
  const found = Object.entries(outcomeCodes).find(([, number]) => number === code)
  if (!found) throw new Error(`No outcome is stored as ${code}.`)
  return found[0] as Outcome
}

/** A hash of everything that decides the outcome of a request. */
export const makeFingerprint = (request: unknown): Buffer =>
  createHash('sha256').update(canonicalJson(request)).digest()

const toName = (sender: string, key: string): string => `${sender} ${key}`

/** The claim of a request that carried a key, if any. */
export const toClaim = (sender: string, key: string | undefined, request: unknown): IdempotencyClaim | undefined =>
  key === undefined ? undefined : { sender, key, name: toName(sender, key), fingerprint: makeFingerprint(request) }

type GivenAnswer = StoredAnswer & { fingerprint: Buffer }

/** The answers to claims of a Brain, by name, and the new ones that are to be stored. */
export type Answers = {
  given: Map<string, GivenAnswer>
  made: { claim: IdempotencyClaim; answer: StoredAnswer }[]
}

/** Refuses a key that was used for another request (IDM-01). */
export const checkSameRequest = <Given extends { fingerprint: Buffer }>(
  given: Given,
  claim: Pick<IdempotencyClaim, 'fingerprint'>,
): Given => {
  if (!given.fingerprint.equals(claim.fingerprint))
    throw conflict('This idempotency key was used for another request. Send a new key with a new request.', {
      code: 'idempotency_key_reused',
    })
  return given
}

/** Loads the stored answers for the claims of requests. */
export const loadAnswers = async (
  db: Queryable,
  brainId: number,
  requests: readonly { claim: IdempotencyClaim | undefined }[],
): Promise<Answers> => {
  const claims = requests.flatMap(({ claim }) => claim ?? [])
  const answers: Answers = { given: new Map(), made: [] }
  if (claims.length === 0) return answers
  const requested = JSON.stringify(claims.map(({ sender, key }) => ({ sender, key })))
  const rows = await runStatement(db, selectAnswers({ brainId, requested }))
  for (const { sender, key, code, data, fingerprint } of rows)
    answers.given.set(toName(sender, key), { outcome: toOutcome(code), data, fingerprint })
  return answers
}

/** Stores the new answers of a batch, as one part of the statement that commits it. */
export const insertMade = (brainId: number, at: string, { made }: Answers): Statement => {
  const rows = made.map(({ claim: { sender, key, fingerprint }, answer: { outcome, data } }) => ({
    ...{ sender, key, data },
    fingerprint: fingerprint.toString('hex'),
    code: outcomeCodes[outcome],
  }))
  return insertAnswers({ brainId, at, rows: JSON.stringify(rows) })
}
