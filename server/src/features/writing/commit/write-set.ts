import type { OperationResult } from '@noema/contracts/batch.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { RawBuilder } from 'kysely'
import { ApiError } from '../../../shared/errors.ts'
import type { UndoLog } from '../../../shared/undo.ts'
import type { Queryable } from '../../../storage/database.ts'
import { ReminderWrites } from '../../brain/dates/dates.ts'
import { applyPut, applyRetirement, type DocumentWrites, loadDocumentWrites } from '../../brain/documents/documents.ts'
import {
  type Applying,
  applyRecordOperation,
  loadRecordWrites,
  type RecordWrites,
} from '../../brain/records/records.ts'
import type { SchemaWrites } from '../../brain/schema/schema.ts'
import {
  applyAssertion,
  applyRetraction,
  loadStatementWrites,
  retractAbout,
  type StatementWrites,
} from '../../brain/statements/statements.ts'
import type { Target } from './change-store.ts'
import type { ResolvedOperation } from './resolve-operations.ts'

/** What one operation did: its result, the thing after it as answers show it, and the change that made that so. */
export type Applied = {
  result: OperationResult
  target: Target
  /** The version that the operation found, and the one that it made; null where there was or is none. */
  base: number | null
  made: number | null
  view: object
  created: boolean
  madeBy: { change: string; stateVersion: number }
}

/** All that a batch of changes touches, read under the Brain's lock, and what the changes make of it. */
export type ContentWrites = {
  records: RecordWrites
  statements: StatementWrites
  documents: DocumentWrites
  schema: SchemaWrites
  dates: ReminderWrites
  /** Takes back in all of them what a change did. */
  undo: UndoLog
}

const tables = ({ records, statements, documents, schema, dates }: ContentWrites) => [
  records.rows,
  statements.rows,
  documents.rows,
  schema.entries,
  dates.rows,
]

const targetsOf = ({ links }: { links?: readonly { to: string | null }[] | undefined }): string[] =>
  (links ?? []).flatMap(({ to }) => to ?? [])

/** Reads what these operations need, in one statement for each sort of content that they touch. */
export const loadContent = async (
  tx: Queryable,
  brainId: number,
  operations: readonly ResolvedOperation[],
  schema: SchemaWrites,
): Promise<ContentWrites> => {
  const recordIds = new Set<string>()
  const documentIds: string[] = []
  for (const operation of operations) {
    if (operation.op === 'statement.assert') recordIds.add(operation.subject.id)
    else if (operation.op === 'document.put' || operation.op === 'document.retire') documentIds.push(operation.id)
    else if (operation.op !== 'record.create' && operation.op !== 'statement.retract') recordIds.add(operation.id)
    if (schema.schema.checksTargets && 'links' in operation) for (const id of targetsOf(operation)) recordIds.add(id)
  }
  return {
    records: await loadRecordWrites(tx, brainId, operations, { ids: recordIds, schema }),
    statements: await loadStatementWrites(tx, brainId, operations, schema.undo),
    documents: await loadDocumentWrites(tx, brainId, documentIds, schema.undo),
    schema,
    dates: new ReminderWrites(schema),
    undo: schema.undo,
  }
}

/** Ends what is no longer current, in the database. */
export const writeEnds = async (tx: Queryable, brainId: number, writes: ContentWrites): Promise<void> => {
  for (const rows of tables(writes)) await rows.writeEnds(tx, brainId)
}

/** Whether anything that the database holds is no longer current, the schema among it. */
export const hasEnds = (writes: ContentWrites): boolean =>
  writes.schema.evolved !== undefined || tables(writes).some((rows) => rows.hasEnds)

/** The inserts of what was made. */
export const listInserts = (writes: ContentWrites, brainId: number): RawBuilder<unknown>[] =>
  [...tables(writes), writes.schema].flatMap((part) => part.inserts(brainId))

type Step = Applied & { events: NewEvent[] }

const applyToRecord = (
  writes: ContentWrites,
  operation: Extract<ResolvedOperation, { op: `record.${string}` }>,
  applying: Applying,
): Step => {
  const before = writes.records.current(operation.id)
  const { version, events, created } = applyRecordOperation(writes.records, operation, applying)
  const isDelete = operation.op === 'record.delete'
  if (events.length > 0) writes.dates.move(before?.record, isDelete ? undefined : version.record)
  const cascade = isDelete && events.length > 0 ? retractAbout(writes.statements, operation.id, applying) : []
  const { id, kind, record } = version
  return {
    result: { op: operation.op, id, ...(isDelete ? {} : { version: version.version }), changed: events.length > 0 },
    target: { type: 'record', id, kind },
    base: before?.version ?? null,
    made: isDelete ? null : version.version,
    view: isDelete ? { id, kind } : record,
    created,
    madeBy: {
      change: version.endedChange ?? record.provenance.change,
      stateVersion: version.toState ?? version.fromState,
    },
    events: [...cascade, ...events],
  }
}

const applyToStatement = (
  writes: ContentWrites,
  operation: Extract<ResolvedOperation, { op: `statement.${string}` }>,
  applying: Applying,
): Step => {
  const asserts = operation.op === 'statement.assert'
  const { row, events } = asserts
    ? applyAssertion(writes, operation, applying)
    : applyRetraction(writes.statements, operation, applying)
  const view = asserts ? { ...row.statement, retractedAt: null, retraction: null } : { id: row.id }
  return {
    result: { op: operation.op, id: row.id, changed: events.length > 0 },
    target: { type: 'statement', id: row.id },
    base: asserts ? null : 1,
    made: asserts ? 1 : null,
    view,
    created: asserts && events.length > 0,
    madeBy: {
      change: row.retraction?.change ?? row.statement.provenance.change,
      stateVersion: row.toState ?? row.fromState,
    },
    events,
  }
}

const applyToDocument = (
  writes: ContentWrites,
  operation: Extract<ResolvedOperation, { op: `document.${string}` }>,
  applying: Applying,
): Step => {
  const puts = operation.op === 'document.put'
  const base = writes.documents.current(operation.id)?.version ?? null
  const { version, events, created } = puts
    ? applyPut(writes.documents, operation, applying)
    : applyRetirement(writes.documents, operation, applying)
  const { id, document } = version
  return {
    result: { op: operation.op, id, ...(puts ? { version: version.version } : {}), changed: events.length > 0 },
    target: { type: 'document', id },
    base,
    made: puts ? version.version : null,
    view: puts ? { ...document, status: 'served' } : { id },
    created,
    madeBy: {
      change: version.endedChange ?? document.provenance.change,
      stateVersion: version.toState ?? version.fromState,
    },
    events,
  }
}

const applyOne = (writes: ContentWrites, operation: ResolvedOperation, applying: Applying): Step => {
  switch (operation.op) {
    case 'record.create':
    case 'record.put':
    case 'record.patch':
    case 'record.delete':
      return applyToRecord(writes, operation, applying)
    case 'statement.assert':
    case 'statement.retract':
      return applyToStatement(writes, operation, applying)
    case 'document.put':
    case 'document.retire':
      return applyToDocument(writes, operation, applying)
  }
}

/** Tells which operation of a batch was refused, keeping why. */
const atOperation = (index: number, error: unknown): unknown => {
  if (!(error instanceof ApiError)) return error
  const place = ['operations', index]
  const inside = (error.details ?? []).map((detail) => ({ ...detail, path: [...place, ...detail.path] }))
  const details = [{ path: place, message: error.message, index }, ...inside]
  return new ApiError(error.kind, `Operation ${index}: ${error.message}`, {
    ...(error.code === undefined ? {} : { code: error.code }),
    details,
  })
}

/** Applies a change's operations in order to the writes. Throws where one is refused; the caller then rolls back. */
export const applyOperations = (
  writes: ContentWrites,
  change: { operations: readonly ResolvedOperation[]; isBatch: boolean },
  applying: Applying,
): { applied: Applied[]; events: NewEvent[] } => {
  const events: NewEvent[] = []
  const applyAt = (operation: ResolvedOperation, index: number): Applied => {
    try {
      const { events: emitted, ...step } = applyOne(writes, operation, applying)
      events.push(...emitted)
      const ref = 'ref' in operation && operation.ref !== undefined ? { ref: operation.ref } : {}
      return { ...step, result: { ...step.result, ...ref } }
    } catch (error) {
      throw change.isBatch ? atOperation(index, error) : error
    }
  }
  try {
    return { applied: change.operations.map(applyAt), events }
  } finally {
    writes.statements.forgetTwins()
  }
}
