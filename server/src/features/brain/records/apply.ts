import { isDeepStrictEqual } from 'node:util'
import type { Operation } from '@noema/contracts/batch.ts'
import type { Provenance } from '@noema/contracts/common.ts'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Actor } from '../../../shared/actor.ts'
import { conflict, notFound } from '../../../shared/errors.ts'
import type { JsonObject } from '../../../shared/json.ts'
import { mergePatch } from '../../../shared/json.ts'
import { toProvenance } from '../versioning/provenance.ts'
import type { RecordVersion } from './queries.ts'
import type { RecordWrites } from './write-set.ts'

/** What every operation of one change shares. */
export type Applying = { change: string; actor: Actor; at: string; stateVersion: number }

type RecordOperation = Extract<Operation, { op: `record.${string}` }>

/** What an operation did: the record after it, the events to emit (none where nothing changed), whether it made it. */
export type RecordOutcome = { version: RecordVersion; events: NewEvent[]; created: boolean }

type Content = Pick<BrainRecord, 'kind' | 'slug' | 'fields' | 'links'>

/** Refuses a write that expects another version than the current one (D-06). */
export const checkVersion = (what: string, expected: number | undefined, current: number | null): void => {
  if (expected === undefined || expected === current) return
  const now = current === null ? 'does not exist' : `is at version ${current}`
  throw conflict(
    `${what} ${now}, not at version ${expected}. Read it again, and repeat the write if it still applies.`,
    {
      code: 'stale_version',
      details: [{ path: ['ifMatch'], message: `The current version is ${current}.`, current }],
    },
  )
}

const checkSlug = (writes: RecordWrites, id: string, { kind, slug }: Content): void => {
  const holder = slug === null ? undefined : writes.slugHolder(kind, slug)
  if (holder !== undefined && holder !== id)
    throw conflict(
      `The slug ${JSON.stringify(slug)} belongs to another ${kind}, ${holder}. Choose another or update that one.`,
      {
        code: 'slug_taken',
      },
    )
}

const changedNames = (before: JsonObject, after: JsonObject): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(before[name], after[name]),
  )

type Links = BrainRecord['links']
const targetsOf = (links: Links, predicate: string) =>
  links.filter((link) => link.predicate === predicate).map(({ to }) => to)

const changedPredicates = (before: Links, after: Links): string[] =>
  [...new Set([...before, ...after].map(({ predicate }) => predicate))].filter(
    (predicate) => !isDeepStrictEqual(targetsOf(before, predicate), targetsOf(after, predicate)),
  )

const withoutRepeats = (links: Links): Links => [
  ...new Map(links.map(({ predicate, to }) => [JSON.stringify([predicate, to]), { predicate, to }])).values(),
]

/**
 * Makes `content` the record's current version, unless it is so already. The schema judges a patch by what it changes, and
 * anything else, or a change of kind, as a whole.
 */
const writeVersion = (
  writes: RecordWrites,
  id: string,
  content: Content,
  { applying, given, isPatch }: { applying: Applying; given: Partial<Provenance> | undefined; isPatch: boolean },
): RecordOutcome => {
  const newest = writes.newest(id)
  const current = newest?.toState === null ? newest : undefined
  const before = current?.record
  const fields = changedNames(before?.fields ?? {}, content.fields)
  const links = changedPredicates(before?.links ?? [], content.links)
  const same = before && before.kind === content.kind && before.slug === content.slug
  if (current && same && fields.length === 0 && links.length === 0)
    return { version: current, events: [], created: false }
  const scope = isPatch && before?.kind === content.kind ? { fields, links } : undefined
  writes.schema.check({ id, ...content }, scope, (target) => writes.current(target)?.kind)
  checkSlug(writes, id, content)
  const record: BrainRecord = {
    id,
    ...content,
    version: (newest?.version ?? 0) + 1,
    stateVersion: applying.stateVersion,
    provenance: toProvenance(given, applying),
    createdAt: before?.createdAt ?? applying.at,
    updatedAt: applying.at,
  }
  const open = { toState: null, deleted: false, endedAt: null, endedChange: null }
  const { kind, slug, version: number } = record
  const version = { id, version: number, kind, slug, fromState: applying.stateVersion, ...open, record }
  writes.put(version, applying)
  const retypedFrom = before && before.kind !== content.kind ? { retypedFrom: before.kind } : {}
  const data = {
    record: { id, kind: content.kind },
    operation: before ? ('updated' as const) : ('created' as const),
    fields,
    links,
    ...retypedFrom,
    change: applying.change,
    stateVersion: applying.stateVersion,
  }
  return { version, events: [{ type: 'record.accepted', data }], created: !before }
}

const liveRecord = (writes: RecordWrites, id: string): RecordVersion => {
  const current = writes.current(id)
  if (!current)
    throw notFound(`There is no record ${JSON.stringify(id)}. Put a record to create one with an id of your own.`)
  return current
}

const patched = ({ record }: RecordVersion, patch: Extract<Operation, { op: 'record.patch' }>): Content => {
  const given = patch.links ?? []
  const replaced = new Set(given.map(({ predicate }) => predicate))
  const kept = record.links.filter(({ predicate }) => !replaced.has(predicate))
  const added = given.flatMap(({ predicate, to }) => (to === null ? [] : [{ predicate, to }]))
  return {
    kind: patch.kind ?? record.kind,
    slug: patch.slug === undefined ? record.slug : patch.slug,
    fields: mergePatch(record.fields, patch.fields ?? {}) as JsonObject,
    links: withoutRepeats([...kept, ...added]),
  }
}

/** Applies one record operation, whose id is settled, to the writes. */
export const applyRecordOperation = (
  writes: RecordWrites,
  operation: RecordOperation & { id: string },
  applying: Applying,
): RecordOutcome => {
  const { id } = operation
  if (operation.op === 'record.create' || operation.op === 'record.put') {
    const expected = operation.op === 'record.put' ? operation.ifMatch : undefined
    checkVersion(`Record ${JSON.stringify(id)}`, expected, writes.current(id)?.version ?? null)
    const content = {
      kind: operation.kind,
      slug: operation.slug ?? null,
      fields: operation.fields ?? {},
      links: withoutRepeats(operation.links ?? []),
    }
    return writeVersion(writes, id, content, { applying, given: operation.provenance, isPatch: false })
  }
  const newest = writes.newest(id)
  // Deleting what is deleted already changes nothing.
  if (operation.op === 'record.delete' && newest?.deleted) return { version: newest, events: [], created: false }
  const current = liveRecord(writes, id)
  checkVersion(`Record ${JSON.stringify(id)}`, operation.ifMatch, current.version)
  if (operation.op === 'record.patch')
    return writeVersion(writes, id, patched(current, operation), {
      applying,
      given: operation.provenance,
      isPatch: true,
    })
  const version = writes.end(current, applying, { deleted: true })
  const data = { record: { id, kind: current.kind }, change: applying.change, stateVersion: applying.stateVersion }
  return { version, events: [{ type: 'record.deleted', data }], created: false }
}
