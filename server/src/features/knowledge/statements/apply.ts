import type { NewEvent } from '@noema/contracts/events.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { conflict, notFound, refuseAt } from '../../../shared/errors.ts'
import type { Applying, OperationOf, Outcome, Version } from '../../kernel/versioning/types.ts'
import type { VersionWrites } from '../../kernel/versioning/version-writes.ts'
import { writeContent } from '../../kernel/versioning/versioning.ts'
import { keepRepeat, keepStatement, type StatementContent } from './content.ts'
import { toIdentity } from './identity.ts'
import type { AssertedStatement, StatementVersion } from './statement-queries.ts'

/** The write set of a commit batch for statements and the records that they are about. */
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

/** Returns the event of a live statement. */
export const assertedEvent = ({ id, content }: StatementVersion): NewEvent => {
  const { subject, predicate, stateVersion, provenance } = content
  const data = { statement: { id }, predicate, subject, change: provenance.change, stateVersion }
  return { type: 'statement.asserted', data }
}

const toOutcome = (base: number | null, version: StatementVersion): StatementOutcome => ({
  ...{ base, version, address: {}, events: [], created: false },
  view: { ...version.content, version: version.version, retractedAt: null, retraction: null },
})

type Assertion = Extract<OperationOf<'statement'>, { op: 'statement.assert' }>

/** Makes a version of a statement, the first or the one after `before`. */
const makeVersion = (
  { statement }: StatementWrites,
  given: Assertion,
  { id, before, content }: { id: string; before: StatementVersion | undefined; content: StatementContent },
  applying: Applying,
): StatementOutcome => {
  const { at, stateVersion } = applying
  const identity = toIdentity(given)
  const number = (before?.version ?? 0) + 1
  const provenance = { ...given.provenance, ...applying.provenance }
  const written = { id, ...content, stateVersion, provenance, assertedAt: at }
  const version: StatementVersion = {
    ...{ id, version: number, identity, fromState: stateVersion, toState: null, endedChange: null, retraction: null },
    ...writeContent(written),
    content: written,
  }
  statement.put(version, identity, applying)
  const outcome = toOutcome(before?.version ?? null, version)
  return { ...outcome, events: [assertedEvent(version)], created: !before }
}

/** Asserts a statement about a live record. The live one that says the same gets its next version, where that differs. */
const applyAssertion = (writes: StatementWrites, given: Assertion, applying: Applying): StatementOutcome => {
  const { statement } = writes
  const { id } = given
  if (given.validFrom && given.validTo && given.validTo < given.validFrom)
    throw refuseAt(['validTo'], 'validTo is before validFrom. Send them in order.')
  checkSubject(writes, given.subject)
  const twin = statement.current(statement.holder(toIdentity(given)) ?? '')
  if (twin) {
    // An id that another statement already has continues to stand for that one.
    if (!statement.newest(id)) applying.twins.set(id, twin.id)
    const content = keepRepeat(twin.content, given)
    if (!content) return toOutcome(twin.version, twin)
    return makeVersion(writes, given, { id: twin.id, before: twin, content }, applying)
  }
  if (statement.newest(applying.twins.get(id) ?? id))
    throw conflict(`The id ${JSON.stringify(id)} belongs to another statement. Choose another id, or leave it out.`, {
      code: 'id_taken',
    })
  return makeVersion(writes, given, { id, before: undefined, content: keepStatement(given) }, applying)
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
  const retracted = { base: found.version, address: {}, view: {}, created: false }
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
