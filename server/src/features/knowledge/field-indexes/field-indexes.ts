import { createHash } from 'node:crypto'
import { timeInput } from '@noema/contracts/common.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import type { Json, JsonObject } from '../../../shared/text/json.ts'
import { isDate } from '../kinds/kinds.ts'
import type { IndexEntry } from './types.ts'

/** Longer values are distinguished by a hash, and ordered by their beginning: an index entry has no more space. */
const longest = { bytes: 200, characters: 200 }

/** A moment in one form, whichever offset it was written with; undefined where the text is no date. */
export const toMoment = ({ type }: SchemaField, text: string): string | undefined => {
  if (type === 'date') return isDate(text) ? `${text}T00:00:00.000Z` : undefined
  return type === 'datetime' ? timeInput.safeParse(text).data : undefined
}

/** The moments that a field of dates holds: a date is the start of its day in UTC (DAT-02). */
export const momentsIn = (field: SchemaField, given: Json | undefined): string[] =>
  valuesIn(given).flatMap((value) => (typeof value === 'string' ? (toMoment(field, value) ?? []) : []))

/** The normal form of a value for equality: two datetimes are one moment, and text is not a number. */
export const valueKey = (field: SchemaField, value: Json): string => {
  const moment = typeof value === 'string' ? toMoment(field, value) : undefined
  const text = JSON.stringify(moment ?? value)
  return Buffer.byteLength(text) <= longest.bytes ? text : `sha256:${createHash('sha256').update(text).digest('hex')}`
}

const isScalar = (value: Json | undefined): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)

/**
 * The values of a field that are looked up. Records from before a declaration may hold what does not fit it, and one without
 * a field named `constructor` inherits a function by that name, which is none.
 */
export const valuesIn = (given: Json | undefined): Json[] => (Array.isArray(given) ? given : [given]).filter(isScalar)

/** The beginning of a text, without half of a surrogate pair at its end. */
export const truncateText = (text: string, characters = longest.characters): string =>
  text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')

/**
 * The values of a field's index entries: null stands for a missing value, if queries may ask for that. A unique field needs
 * only values.
 */
const indexedValues = (field: SchemaField, given: Json | undefined): Json[] => {
  const values = valuesIn(given)
  return values.length === 0 && field.indexed ? [null] : values
}

/** The entries of a record's indexed fields. */
export const indexEntries = (
  kind: string,
  indexed: readonly SchemaField[],
  record: { id: string; fields: JsonObject },
): IndexEntry[] =>
  indexed.flatMap((field) =>
    indexedValues(field, record.fields[field.name]).map((value) => ({
      kind,
      field: field.name,
      value: valueKey(field, value),
      recordId: record.id,
      text: typeof value === 'string' ? truncateText(value) : null,
      number: typeof value === 'number' ? value : null,
      at: typeof value === 'string' ? (toMoment(field, value) ?? null) : null,
    })),
  )
