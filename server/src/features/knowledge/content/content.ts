import type { Operation } from '@noema/contracts/batch.ts'
import type { UndoLog } from '../../../shared/undo.ts'
import type { ContentKind, ContentType } from '../../kernel/versioning/types.ts'
import { VersionWrites } from '../../kernel/versioning/version-writes.ts'
import type { DocumentWrites } from '../documents/apply.ts'
import { documents } from '../documents/content-kind.ts'
import type { CompiledSchema } from '../kinds/kinds.ts'
import type { RecordLimits, RecordWrites } from '../records/apply.ts'
import { records } from '../records/content-kind.ts'
import { SchemaWrites } from '../schema/write-set.ts'
import type { StatementWrites } from '../statements/apply.ts'
import { statements } from '../statements/content-kind.ts'

// The kinds of content, in one list. Code that treats all of them alike walks it: commits, conflicts, reverts, exports and
// imports, receipts and erasing. Each kind implements its part of these in its own feature; `content-text.ts` has the text
// forms of their items.

/** The write set of a commit batch over the content of a Brain. All of it is undone together. */
export type ContentWrites = {
  record: RecordWrites['record']
  statement: StatementWrites['statement']
  document: DocumentWrites['document']
  schema: SchemaWrites
  recordLimits: RecordLimits
  hasUnreadSlugs: boolean
  undo: UndoLog
  /** True if any operation of the batch refers to records that need not exist. */
  hasReferences: boolean
}

type AnyKind = ContentKind<ContentWrites>

/** In the order of an export: a record precedes the statements about it. */
export const contentKinds: readonly AnyKind[] = [records, statements, documents]

/** The kinds by their names. */
export const kindOfType: Readonly<Record<ContentType, AnyKind>> = {
  record: records,
  statement: statements,
  document: documents,
}

const byOperation = <Op extends string>(kind: AnyKind & { operations: Readonly<Record<Op, unknown>> }) =>
  Object.fromEntries(Object.keys(kind.operations).map((op) => [op, kind])) as Record<Op, AnyKind>

/** The kind that each operation is one of. An imported change may have operations that none knows. */
export const kindByOperation: ReadonlyMap<string, AnyKind> = new Map(
  Object.entries({
    ...byOperation(records),
    ...byOperation(statements),
    ...byOperation(documents),
  } satisfies Record<Operation['op'], AnyKind>),
)

/** Creates an empty write set, with the schema and the limits that check it. */
export const createContentWrites = (schema: CompiledSchema, at: string, recordLimits: RecordLimits): ContentWrites => {
  const undo: UndoLog = []
  return {
    undo,
    hasReferences: false,
    hasUnreadSlugs: false,
    recordLimits,
    schema: new SchemaWrites(undo, schema, at),
    record: new VersionWrites(undo, records.table),
    statement: new VersionWrites(undo, statements.table),
    document: new VersionWrites(undo, documents.table),
  }
}
