import { isDeepStrictEqual } from 'node:util'
import type { eventData } from '@noema/contracts/events.ts'
import type { BrainRecord, newRecord, recordPatch } from '@noema/contracts/records.ts'
import type { z } from 'zod'
import { type JsonObject, mergePatch } from '../../../shared/text/json.ts'
import { jsonLines } from '../../../shared/text/json-lines.ts'
import { type ContentPart, keepContent, sendContent } from '../../kernel/content-parts/content-parts.ts'

type Sent = z.output<typeof newRecord>
type Patch = z.output<typeof recordPatch>

/** Fields of a record besides its content, and the fields of a write about its source. */
type Bookkeeping = 'id' | 'version' | 'stateVersion' | 'provenance' | 'createdAt' | 'updatedAt'

type Name = Exclude<keyof BrainRecord | keyof Sent | keyof Patch, Bookkeeping>

/** The content of a record. */
export type RecordContent = Pick<BrainRecord, Name>
type SentContent = Pick<Sent, Name>
type PatchContent = Pick<Patch, Name>

/** The treatment of a part of a record. */
type RecordPart<Kept, Sent, Patch> = ContentPart<Kept, Sent, Sent | Patch> & {
  /** Applies a patch to the stored value. */
  patch: (kept: Kept, patch: Patch) => Kept
  /** Names of what differs, none where nothing does. Before a record is made, all that it has. A patch made `after`, if given. */
  differences: (before: Kept | undefined, after: Kept, patch?: Patch) => string[]
  /** Checks whether a patch made for `then` overwrites no later write. */
  stillFits: (then: Kept, now: Kept, patch: Patch) => boolean
  /** Undoes the step from `then` to `left` in the current value. Refused if others wrote over it. */
  restore: (then: Kept, left: Kept, now: Kept, refuse: () => never) => Kept
  /** The lines by which search finds it, besides the heading. */
  searched: (kept: Kept) => Iterable<string>
  /** The lines that a context shows of it. */
  shown: (kept: Kept) => string[]
}

type RecordParts = { readonly [Of in Name]: RecordPart<RecordContent[Of], SentContent[Of], PatchContent[Of]> }

const listChanged = (before: JsonObject, after: JsonObject): string[] =>
  before === after
    ? []
    : [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
        (name) => !isDeepStrictEqual(before[name], after[name]),
      )

/** The fields that a patch changed. It left the values of all others as they were. */
const listPatched = (before: JsonObject, after: JsonObject, patch: JsonObject): string[] => {
  const changed = new Set(
    Object.keys(patch).filter(
      (name) => before[name] !== after[name] || Object.hasOwn(before, name) !== Object.hasOwn(after, name),
    ),
  )
  if (changed.size < 2) return [...changed]
  // In the order of the record, as a comparison of all fields lists them.
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => changed.has(name))
}

type Links = BrainRecord['links']

const listTargets = (links: Links, predicate: string) =>
  links.filter((link) => link.predicate === predicate).map(({ to }) => to)

const withoutRepeats = (links: Links): Links => [
  ...new Map(links.map(({ predicate, to }) => [JSON.stringify([predicate, to]), { predicate, to }])).values(),
]

/** Fields that a change wrote are put back; those that others wrote stay. */
const restoreFields = (then: JsonObject, left: JsonObject, now: JsonObject, refuse: () => never): JsonObject => {
  const written = listChanged(then, left)
  if (written.some((name) => !isDeepStrictEqual(now[name], left[name]))) return refuse()
  const fields: JsonObject = { ...now }
  for (const name of written) {
    const value = then[name]
    if (value === undefined) delete fields[name]
    else fields[name] = value
  }
  return fields
}

/** Puts back a value that a change wrote, unless others wrote over it. A value that it did not write stays. */
const restoreValue = <Value>(then: Value, left: Value, now: Value, refuse: () => never): Value => {
  if (isDeepStrictEqual(then, left)) return now
  return isDeepStrictEqual(left, now) ? then : refuse()
}

const none = () => []

export const recordParts: RecordParts = {
  // Kind and slug are in the heading of search results and contexts.
  kind: {
    keep: (kind) => kind,
    patch: (kept, kind) => kind ?? kept,
    differences: (before, after) => (before === after ? [] : ['kind']),
    stillFits: (then, now, kind) => then === now && kind === undefined,
    restore: (then, left, now, refuse) => (left === now ? then : refuse()),
    searched: none,
    shown: none,
  },
  slug: {
    keep: (slug) => slug ?? null,
    patch: (kept, slug) => (slug === undefined ? kept : slug),
    differences: (before, after) => (before === after ? [] : ['slug']),
    stillFits: (_then, _now, slug) => slug === undefined,
    restore: restoreValue,
    searched: none,
    shown: none,
  },
  fields: {
    keep: (fields) => fields ?? {},
    patch: (kept, fields) => mergePatch(kept, fields ?? {}) as JsonObject,
    differences: (before = {}, after, patch) =>
      patch ? listPatched(before, after, patch) : listChanged(before, after),
    stillFits: (then, now, fields) =>
      Object.keys(fields ?? {}).every((name) => isDeepStrictEqual(now[name], then[name])),
    restore: restoreFields,
    searched: jsonLines,
    shown: (fields) =>
      Object.entries(fields).map(
        ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
      ),
  },
  links: {
    keep: (links) => withoutRepeats(links ?? []),
    resolve: (links, toId) => links?.map((link) => (link.to === null ? link : { ...link, to: toId(link.to) })),
    patch: (kept, links = []) => {
      const replaced = new Set(links.map(({ predicate }) => predicate))
      const added = links.flatMap(({ predicate, to }) => (to === null ? [] : [{ predicate, to }]))
      return withoutRepeats([...kept.filter(({ predicate }) => !replaced.has(predicate)), ...added])
    },
    differences: (before = [], after) =>
      [...new Set([...before, ...after].map(({ predicate }) => predicate))].filter(
        (predicate) => !isDeepStrictEqual(listTargets(before, predicate), listTargets(after, predicate)),
      ),
    stillFits: (then, now, links) => links === undefined || isDeepStrictEqual(then, now),
    restore: restoreValue,
    searched: (links) => links.map(({ predicate, to }) => `${predicate}: ${to}`),
    shown: (links) => links.map(({ predicate, to }) => `${predicate} -> ${to}`),
  },
  expiresAt: {
    keep: (expiresAt) => expiresAt ?? undefined,
    patch: (kept, expiresAt) => (expiresAt === undefined ? kept : (expiresAt ?? undefined)),
    differences: (before, after) => (before === after ? [] : ['expiresAt']),
    stillFits: (then, now, expiresAt) => expiresAt === undefined || then === now,
    restore: restoreValue,
    searched: none,
    shown: none,
  },
}

type EventData = z.output<(typeof eventData)['record.accepted']>

/**
 * The names that differ in each part, for events. A change of kind is `retypedFrom`, and a change of slug or expiry is read from
 * the record. Any other part needs its own property in the event, or this does not compile.
 */
export type EventNames = Pick<EventData, Exclude<Name, 'kind' | 'slug' | 'expiresAt'>>

/** The names of a record's content. */
export const recordContentKeys = Object.keys(recordParts) as Name[]

/** Maps each part. The result must have the type that `Made` has for the part's name. */
const mapParts = <Made extends { [Of in Name]?: unknown }>(
  make: <Of extends Name>(part: RecordParts[Of], name: Of) => Made[Of],
): Made => {
  const made: Partial<Made> = {}
  for (const name of recordContentKeys) made[name] = make(recordParts[name], name)
  return made as Made
}

/** Returns the stored form of a sent record. */
export const keepRecord = (sent: SentContent): RecordContent =>
  keepContent<RecordContent, SentContent>(recordParts, sent)

/** Applies a patch to a record. */
export const patchRecord = (kept: RecordContent, sent: PatchContent): RecordContent =>
  mapParts<RecordContent>(({ patch }, name) => patch(kept[name], sent[name]))

/**
 * Names the differences of two versions. A record that did not exist has nothing. If a patch made `after`, only the fields
 * that it names are compared.
 */
export const compareRecords = (
  before: RecordContent | undefined,
  after: RecordContent,
  patch: Partial<PatchContent> = {},
): { isSame: boolean; named: EventNames } => {
  const differences = mapParts<Record<Name, string[]>>((part, name) =>
    part.differences(before?.[name], after[name], patch[name]),
  )
  const { kind, slug, expiresAt, ...named } = differences
  return { isSame: Object.values(differences).every((names) => names.length === 0), named }
}

/** Checks whether a patch made for `then` overwrites no later write. */
export const patchStillFits = (sent: PatchContent, then: RecordContent, now: RecordContent): boolean => {
  const fits = mapParts<Record<Name, boolean>>(({ stillFits }, name) => stillFits(then[name], now[name], sent[name]))
  return Object.values(fits).every((fit) => fit)
}

/** Undoes the step from `then` to `left` in the current content. Refused if others wrote over it. */
export const restoreRecord = (
  then: RecordContent,
  left: RecordContent,
  now: RecordContent,
  refuse: () => never,
): RecordContent => mapParts<RecordContent>(({ restore }, name) => restore(then[name], left[name], now[name], refuse))

/** A record's content as it would be sent. */
export const sendRecord = (kept: RecordContent): SentContent => sendContent<SentContent>(recordContentKeys, kept)

/** Lists the lines by which search finds a record, besides the heading. */
export const listSearched = (kept: RecordContent): string[] =>
  Object.values(mapParts<Record<Name, string[]>>(({ searched }, name) => [...searched(kept[name])])).flat()

/** The lines that a context shows of a record. */
export const listShown = (kept: RecordContent): string[] =>
  Object.values(mapParts<Record<Name, string[]>>(({ shown }, name) => shown(kept[name]))).flat()
