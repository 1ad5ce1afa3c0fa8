import type { NewEvent } from '@noema/contracts/events.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { conflict, notFound, validation } from '../../../shared/errors.ts'
import type { Applying, OperationOf, Outcome, Version } from '../versioning/types.ts'
import type { VersionWrites } from '../versioning/versioning.ts'
import { keepStatement } from './content.ts'
import { toIdentity } from './identity.ts'
import type { AssertedStatement, StatementVersion } from './queries.ts'

/** What a commit batch makes of statements, and of the records that they are about. */
export type StatementWrites = {
  statement: VersionWrites<StatementVersion>
  record: Pick<VersionWrites<Version<BrainRecord>>, 'current'>
}

type StatementOutcome = Outcome<StatementVersion>

const checkSubject = ({ record }: StatementWrites, subject: AssertedStatement['subject']): void => {
  const kind = record.current(subject.id)?.content.kind
  if (kind === undefined)
    throw conflict(`The subject ${JSON.stringify(subject.id)} is not a record of this Brain. Write the record first.`, {
      code: 'no_subject',
    })
  if (kind !== subject.kind)
    throw conflict(
      `The subject ${JSON.stringify(subject.id)} is a ${kind}, not a ${subject.kind}. Send its actual kind.`,
      {
        code: 'no_subject',
      },
    )
}

/** How the stream tells of a statement that is live. */
export const assertedEvent = ({ id, content }: StatementVersion): NewEvent => {
  const { subject, predicate, stateVersion, provenance } = content
  const data = { statement: { id }, predicate, subject, change: provenance.change, stateVersion }
  return { type: 'statement.asserted', data }
}

const asserted = (version: StatementVersion) => ({
  ...{ base: null, version, address: {} },
  view: { ...version.content, retractedAt: null, retraction: null },
})

/** Asserts a statement about a live record; the live one that says the same comes back instead. */
const applyAssertion = (
  writes: StatementWrites,
  given: Extract<OperationOf<'statement'>, { op: 'statement.assert' }>,
  applying: Applying,
): StatementOutcome => {
  const { statement } = writes
  const { id } = given
  const { at, stateVersion } = applying
  if (given.validFrom && given.validTo && given.validTo < given.validFrom)
    throw validation('validTo is before validFrom. Send them in order.')
  checkSubject(writes, given.subject)
  const identity = toIdentity(given)
  const twin = statement.current(statement.holder(identity) ?? '')
  if (twin) {
    applying.twins.set(id, twin.id)
    return { ...asserted(twin), events: [], created: false }
  }
  if (statement.newest(applying.twins.get(id) ?? id))
    throw conflict(`The id ${JSON.stringify(id)} belongs to another statement. Choose another id, or leave it out.`, {
      code: 'id_taken',
    })
  const version: StatementVersion = {
    ...{ id, version: 1, identity, fromState: stateVersion, toState: null, endedChange: null, retraction: null },
    content: {
      id,
      ...keepStatement(given),
      stateVersion,
      provenance: { ...given.provenance, ...applying.provenance },
      assertedAt: at,
    },
  }
  statement.put(version, identity, applying)
  return { ...asserted(version), events: [assertedEvent(version)], created: true }
}

const retract = ({ statement }: StatementWrites, live: StatementVersion, reason: string | null, applying: Applying) => {
  const { change, stateVersion, at } = applying
  const version = statement.end(live, applying, { retraction: { at, stateVersion, change, reason } })
  const event: NewEvent = { type: 'statement.retracted', data: { statement: { id: live.id }, change, stateVersion } }
  return { version, event }
}

/** Retracts a live statement. One that is retracted already stays as it is. */
const applyRetraction = (
  writes: StatementWrites,
  { id, reason = null }: { id: string; reason?: string | null | undefined },
  applying: Applying,
): StatementOutcome => {
  const found = writes.statement.newest(applying.twins.get(id) ?? id)
  if (!found) throw notFound(`There is no statement ${JSON.stringify(id)}.`)
  const retracted = { base: 1, address: {}, view: {}, created: false }
  if (found.toState !== null) return { ...retracted, version: found, events: [] }
  const { version, event } = retract(writes, found, reason, applying)
  return { ...retracted, version, events: [event] }
}

/** Applies one operation on a statement. */
export const applyStatementOperation = (
  writes: StatementWrites,
  operation: OperationOf<'statement'>,
  applying: Applying,
): StatementOutcome =>
  operation.op === 'statement.assert'
    ? applyAssertion(writes, operation, applying)
    : applyRetraction(writes, operation, applying)

/** Retracts every live statement about a record that is being deleted: a statement's subject always exists. */
export const retractAbout = (writes: StatementWrites, recordId: string, applying: Applying): NewEvent[] =>
  writes.statement
    .live()
    .filter(({ content }) => content.subject.id === recordId)
    .map((live) => retract(writes, live, 'The record that it is about was deleted.', applying).event)
