import type { Provenance } from '@noema/contracts/common.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import { conflict, MovesToWorker, notFound, validation } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/text/json.ts'
import type { Applying, OperationOf, Outcome } from '../../kernel/versioning/types.ts'
import type { VersionWrites } from '../../kernel/versioning/version-writes.ts'
import { checkVersion, writeContent } from '../../kernel/versioning/versioning.ts'
import { compareRecords, keepRecord, patchRecord, type RecordContent } from '../record-parts/record-parts.ts'
import type { SchemaWrites } from '../schema/write-set.ts'
import type { RecordVersion } from './record-queries.ts'

/** The most fields and bytes of a record. */
export type RecordLimits = { maxFields: number; maxBytes: number }

/** The write set of a commit batch for records, with the schema and the limits that check it. */
export type RecordWrites = {
  record: VersionWrites<RecordVersion>
  schema: SchemaWrites
  recordLimits: RecordLimits
  /** True if it is unknown who holds some of the slugs, because an index checks them. */
  hasUnreadSlugs: boolean
}

type RecordOutcome = Outcome<RecordVersion>

const refuseLarge = (what: string, most: number) =>
  validation(`This record would have ${what}; a record may have ${most}. Split it into several records.`, {
    code: 'record_too_large',
  })

/** Refuses a record with too many fields. */
const checkFields = ({ maxFields }: RecordLimits, fields: JsonObject): void => {
  const count = Object.keys(fields).length
  if (count > maxFields) throw refuseLarge(`${count} fields`, maxFields)
}

/** The JSON text of a record and its bytes. Refuses a record with too many. */
const writeRecord = ({ maxBytes }: RecordLimits, written: BrainRecord): ReturnType<typeof writeContent> => {
  const text = writeContent(written)
  if (text.size > maxBytes) throw refuseLarge(`${text.size} bytes as JSON`, maxBytes)
  return text
}

/** A field of a patched record counts this much besides its bytes. */
const fieldBytes = 256

/** The most that the patches of one change may work on: even a small patch copies its record. */
const maxPatchedBytes = 32 * 1024 * 1024

/** The most that they work on before their request moves to the worker for large requests, if it can. */
const maxMovablePatches = 2 * 1024 * 1024

/** Counts a record that is to be patched. Throws, before that work, where a change patches too much. */
const countPatched = ({ content: { fields }, size = 0 }: RecordVersion, { patched }: Applying): void => {
  patched.bytes += size + fieldBytes * Object.keys(fields).length
  if (patched.mayMove && patched.bytes > maxMovablePatches) throw new MovesToWorker()
  if (patched.bytes > maxPatchedBytes)
    throw validation('The patches of this change work on more than 32 MiB of records. Split it into smaller ones.', {
      code: 'too_much_content',
    })
}

/** The unique key of a live record: its slug in its kind. */
export const slugKey = (kind: string, slug: string): string => `${kind} ${slug}`

/** Returns the unique key of a record with this content. */
export const toKey = ({ kind, slug }: RecordContent): string | null => (slug === null ? null : slugKey(kind, slug))

const checkSlug = ({ record }: RecordWrites, id: string, content: RecordContent): string | null => {
  const key = toKey(content)
  const holder = key === null ? undefined : record.holder(key)
  if (holder !== undefined && holder !== id)
    throw conflict(
      `The slug ${JSON.stringify(content.slug)} belongs to another ${content.kind}, ${holder}. Choose another or update that one.`,
      {
        code: 'slug_taken',
      },
    )
  return key
}

/** A record that stays as it is. */
const unchanged = (base: number | null, version: RecordVersion, view: object): RecordOutcome => ({
  ...{ base, version, address: { kind: version.content.kind }, view, events: [], created: false },
})

type Writing = {
  content: RecordContent & { id: string }
  /** The differences from the current version. */
  comparison: ReturnType<typeof compareRecords>
  given: Partial<Provenance> | undefined
  isPatch: boolean
  applying: Applying
}

/**
 * Makes `content` the record's current version, unless it already is. The schema checks only the changes of a patch, and
 * any other write or a change of kind as a whole.
 */
const writeVersion = (
  writes: RecordWrites,
  newest: RecordVersion | undefined,
  { content, comparison, applying, given, isPatch }: Writing,
): RecordOutcome => {
  const { record, schema, recordLimits } = writes
  const { id, kind, ...held } = content
  const { change, at, stateVersion } = applying
  const current = newest?.toState === null ? newest : undefined
  const before = current?.content
  const { isSame, named } = comparison
  if (current && isSame) return unchanged(current.version, current, current.content)
  checkFields(recordLimits, held.fields)
  const isRetyped = before !== undefined && before.kind !== kind
  const declared = schema.schema.byKind.get(kind)
  const scope = isPatch && !isRetyped ? named : undefined
  if (declared) schema.check(declared, content, scope, (target) => record.current(target)?.content.kind)
  const number = (newest?.version ?? 0) + 1
  const written: BrainRecord = {
    ...{ id, kind, ...held },
    version: number,
    stateVersion,
    provenance: { ...given, ...applying.provenance },
    createdAt: before?.createdAt ?? at,
    updatedAt: at,
  }
  const text = writeRecord(recordLimits, written)
  const key = checkSlug(writes, id, content)
  const version = {
    id,
    version: number,
    fromState: stateVersion,
    toState: null,
    endedChange: null,
    ...text,
    content: written,
  }
  record.put(version, key, applying)
  if (schema.hasUniqueFields) schema.hold({ before, after: written })
  const data = {
    record: { id, kind },
    operation: before ? ('updated' as const) : ('created' as const),
    ...named,
    ...(isRetyped ? { retypedFrom: before.kind } : {}),
    change,
    stateVersion,
  }
  return {
    ...{ base: current?.version ?? null, version, address: { kind }, view: written, created: !before },
    events: [{ type: 'record.accepted', data }],
  }
}

const mergedAway = (id: string, survivor: string) =>
  conflict(`The record ${JSON.stringify(id)} was merged into ${JSON.stringify(survivor)}. Use that one.`, {
    code: 'record_merged',
  })

/** Deletes a record. One that is merged names the record that remains. */
const deleteRecord = (
  writes: RecordWrites,
  current: RecordVersion,
  { mergedInto, applying }: { mergedInto: string | undefined; applying: Applying },
): RecordOutcome => {
  const { change, stateVersion } = applying
  const { id, version: base, content } = current
  const { kind } = content
  if (mergedInto !== undefined && !writes.record.current(mergedInto))
    throw conflict(`There is no record ${JSON.stringify(mergedInto)} to merge into any more.`, {
      code: 'record_merged',
    })
  const version = writes.record.end(current, applying, { isGone: true, survivor: mergedInto ?? null })
  if (writes.schema.hasUniqueFields) writes.schema.hold({ before: content, after: undefined })
  const data = { record: { id, kind }, ...(mergedInto === undefined ? {} : { mergedInto }), change, stateVersion }
  return { ...unchanged(base, version, {}), events: [{ type: 'record.deleted', data }] }
}

const checkBase = ({ id, ifMatch }: { id: string; ifMatch?: number | undefined }, base: RecordVersion | undefined) => {
  if (ifMatch !== undefined) checkVersion(`Record ${JSON.stringify(id)}`, ifMatch, base?.version ?? null)
}

/** Applies one operation on a record. */
export const applyRecordOperation = (
  writes: RecordWrites,
  operation: OperationOf<'record'>,
  applying: Applying,
): RecordOutcome => {
  const { id, op } = operation
  const newest = writes.record.newest(id)
  const current = newest?.toState === null ? newest : undefined
  if (op === 'record.create' || op === 'record.put') {
    if (op === 'record.put') checkBase(operation, current)
    // A writer that still has the old id would bring the duplicate back.
    if (!current && newest?.survivor && !('undoesMerge' in operation)) throw mergedAway(id, newest.survivor)
    const content = { id, ...keepRecord(operation) }
    const comparison = compareRecords(current?.content, content)
    const given = operation.provenance
    return writeVersion(writes, newest, { content, comparison, given, isPatch: false, applying })
  }
  const mergedInto = 'mergedInto' in operation ? operation.mergedInto : undefined
  // Deleting a deleted record changes nothing, nor does merging it again.
  if (op === 'record.delete' && newest && !current && (!mergedInto || mergedInto === newest.survivor))
    return unchanged(null, newest, {})
  if (!current && newest?.survivor) throw mergedAway(id, newest.survivor)
  if (!current)
    throw notFound(`There is no record ${JSON.stringify(id)}. Put a record to create one with an id of your own.`)
  checkBase(operation, current)
  if (op === 'record.delete') return deleteRecord(writes, current, { mergedInto, applying })
  countPatched(current, applying)
  const content = { id, ...patchRecord(current.content, operation) }
  const comparison = compareRecords(current.content, content, operation)
  return writeVersion(writes, newest, { content, comparison, given: operation.provenance, isPatch: true, applying })
}
