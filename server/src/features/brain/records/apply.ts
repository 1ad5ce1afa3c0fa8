import type { Provenance } from '@noema/contracts/common.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { SchemaWrites } from '../schema/schema.ts'
import { checkVersion } from '../versioning/check-version.ts'
import { toProvenance } from '../versioning/provenance.ts'
import type { Applying, OperationOf, Outcome } from '../versioning/types.ts'
import type { VersionWrites } from '../versioning/version-writes.ts'
import { findDifferences, keepRecord, patchRecord, type RecordContent } from './content.ts'
import { type RecordVersion, slugKey } from './queries.ts'

/** What a commit batch makes of records, and the schema that it is judged by. */
export type RecordWrites = { record: VersionWrites<RecordVersion>; schema: SchemaWrites }

type RecordOutcome = Outcome<RecordVersion>

const checkSlug = ({ record }: RecordWrites, id: string, { kind, slug }: RecordContent): void => {
  const holder = slug === null ? undefined : record.holder(slugKey(kind, slug))
  if (holder !== undefined && holder !== id)
    throw conflict(
      `The slug ${JSON.stringify(slug)} belongs to another ${kind}, ${holder}. Choose another or update that one.`,
      {
        code: 'slug_taken',
      },
    )
}

/**
 * Makes `content` the record's current version, unless it is so already. The schema judges a patch by what it changes, and
 * anything else, or a change of kind, as a whole.
 */
const writeVersion = (
  writes: RecordWrites,
  newest: RecordVersion | undefined,
  content: RecordContent & { id: string },
  { applying, given, isPatch }: { applying: Applying; given: Partial<Provenance> | undefined; isPatch: boolean },
): RecordOutcome => {
  const { record, schema } = writes
  const { id, ...held } = content
  const { change, at, stateVersion } = applying
  const current = newest?.toState === null ? newest : undefined
  const before = current?.content
  const differences = findDifferences(before, held)
  const base = current?.version ?? null
  if (current && Object.values(differences).every((names) => names.length === 0))
    return { base, version: current, events: [], created: false }
  const { fields, links } = differences
  const isRetyped = before !== undefined && before.kind !== content.kind
  const scope = isPatch && !isRetyped ? { fields, links } : undefined
  schema.check(content, scope, (target) => record.current(target)?.content.kind)
  checkSlug(writes, id, held)
  const version: RecordVersion = {
    id,
    version: (newest?.version ?? 0) + 1,
    ...{ fromState: stateVersion, toState: null, endedChange: null },
    content: {
      ...content,
      version: (newest?.version ?? 0) + 1,
      stateVersion,
      provenance: toProvenance(given, applying),
      createdAt: before?.createdAt ?? at,
      updatedAt: at,
    },
  }
  record.put(version, applying)
  if (schema.hasUniqueFields) schema.hold({ before, after: version.content })
  const data = {
    record: { id, kind: content.kind },
    operation: before ? ('updated' as const) : ('created' as const),
    fields,
    links,
    ...(isRetyped ? { retypedFrom: before.kind } : {}),
    change,
    stateVersion,
  }
  return { base, version, events: [{ type: 'record.accepted', data }], created: !before }
}

const deleteRecord = (writes: RecordWrites, current: RecordVersion, applying: Applying): RecordOutcome => {
  const { change, stateVersion } = applying
  const { id, version: base, content } = current
  const version = writes.record.end(current, applying, { isGone: true })
  if (writes.schema.hasUniqueFields) writes.schema.hold({ before: content, after: undefined })
  const data = { record: { id, kind: content.kind }, change, stateVersion }
  return { base, version, events: [{ type: 'record.deleted', data }], created: false }
}

/** Applies one operation on a record. */
export const applyRecordOperation = (
  writes: RecordWrites,
  operation: OperationOf<'record'>,
  applying: Applying,
): RecordOutcome => {
  const { id, op } = operation
  const name = `Record ${JSON.stringify(id)}`
  const newest = writes.record.newest(id)
  const current = newest?.toState === null ? newest : undefined
  if (op === 'record.create' || op === 'record.put') {
    if (op === 'record.put') checkVersion(name, operation.ifMatch, current?.version ?? null)
    const content = { id, ...keepRecord(operation) }
    return writeVersion(writes, newest, content, { applying, given: operation.provenance, isPatch: false })
  }
  // Deleting what is deleted already changes nothing.
  if (op === 'record.delete' && newest && !current) return { base: null, version: newest, events: [], created: false }
  if (!current)
    throw notFound(`There is no record ${JSON.stringify(id)}. Put a record to create one with an id of your own.`)
  checkVersion(name, operation.ifMatch, current.version)
  if (op === 'record.delete') return deleteRecord(writes, current, applying)
  const content = { id, ...patchRecord(current.content, operation) }
  return writeVersion(writes, newest, content, { applying, given: operation.provenance, isPatch: true })
}
