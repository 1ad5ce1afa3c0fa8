import type { Operation } from '@noema/contracts/batch.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import { conflict, notFound, validation } from '../../../shared/errors.ts'
import type { Applying, RecordWrites } from '../records/records.ts'
import { toProvenance } from '../versioning/provenance.ts'
import type { AssertedStatement, StatementRow } from './queries.ts'
import { identityOf, type StatementWrites } from './write-set.ts'

type Assertion = Extract<Operation, { op: 'statement.assert' }> & { id: string }

/** What an operation did: the statement after it, and the events to emit (none where nothing changed). */
export type StatementOutcome = { row: StatementRow; events: NewEvent[] }

const checkSubject = (records: RecordWrites, subject: AssertedStatement['subject']): void => {
  const current = records.current(subject.id)
  if (!current)
    throw conflict(`The subject ${JSON.stringify(subject.id)} is not a record of this Brain. Write the record first.`, {
      code: 'no_subject',
    })
  if (current.kind !== subject.kind)
    throw conflict(
      `The subject ${JSON.stringify(subject.id)} is a ${current.kind}, not a ${subject.kind}. Send its actual kind.`,
      {
        code: 'no_subject',
      },
    )
}

const newStatement = (given: Assertion, applying: Applying): AssertedStatement => ({
  id: given.id,
  subject: given.subject,
  predicate: given.predicate,
  object: given.object,
  validFrom: given.validFrom ?? null,
  validTo: given.validTo ?? null,
  confidence: given.confidence ?? null,
  sources: given.sources ?? [],
  stateVersion: applying.stateVersion,
  provenance: toProvenance(given.provenance, applying),
  assertedAt: applying.at,
})

/** Asserts a statement about a live record; the live one that says the same comes back instead. */
export const applyAssertion = (
  writes: { records: RecordWrites; statements: StatementWrites },
  given: Assertion,
  applying: Applying,
): StatementOutcome => {
  const { records, statements } = writes
  if (given.validFrom && given.validTo && given.validTo < given.validFrom)
    throw validation('validTo is before validFrom. Send them in order.')
  checkSubject(records, given.subject)
  const identity = identityOf(given)
  const twin = statements.liveTwin(identity)
  if (twin) {
    statements.callTwin(given.id, twin)
    return { row: twin, events: [] }
  }
  if (statements.get(given.id))
    throw conflict(
      `The id ${JSON.stringify(given.id)} belongs to another statement. Choose another id, or leave it out.`,
      {
        code: 'id_taken',
      },
    )
  const statement = newStatement(given, applying)
  const row = { id: given.id, identity, fromState: applying.stateVersion, toState: null, statement, retraction: null }
  statements.add(row)
  const { change, stateVersion } = applying
  const { subject, predicate } = statement
  const data = { statement: { id: given.id }, predicate, subject, change, stateVersion }
  return { row, events: [{ type: 'statement.asserted', data }] }
}

const retract = (statements: StatementWrites, row: StatementRow, reason: string | null, applying: Applying) => {
  const { change, stateVersion, at } = applying
  const retracted = statements.retract(row, { at, stateVersion, change, reason })
  const data = { statement: { id: row.id }, change, stateVersion }
  return { row: retracted, events: [{ type: 'statement.retracted' as const, data }] }
}

/** Retracts a live statement. One that is retracted already stays as it is. */
export const applyRetraction = (
  statements: StatementWrites,
  given: { id: string; reason?: string | undefined },
  applying: Applying,
): StatementOutcome => {
  const row = statements.get(given.id)
  if (!row) throw notFound(`There is no statement ${JSON.stringify(given.id)}.`)
  if (row.toState !== null) return { row, events: [] }
  return retract(statements, row, given.reason ?? null, applying)
}

/** Retracts every live statement about a record that is being deleted: a statement's subject always exists. */
export const retractAbout = (statements: StatementWrites, recordId: string, applying: Applying): NewEvent[] =>
  statements
    .liveAbout(recordId)
    .flatMap((row) => retract(statements, row, 'The record that it is about was deleted.', applying).events)
