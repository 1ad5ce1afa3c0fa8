import type { SchemaField, SchemaKind } from '@noema/contracts/schema-kinds.ts'
import { toConditions, type Where } from './record-filter.ts'

// The service orders the records of a query by the field that has a range. A range that holds every value sorts the whole list by
// that field; records without a value are not in it.

/** The least value of a type that has an order in the index. */
const least = (type: SchemaField['type']): string | number | undefined => {
  if (type === 'string' || type === 'text') return ''
  if (type === 'integer') return Number.MIN_SAFE_INTEGER
  if (type === 'number') return -Number.MAX_VALUE
  if (type === 'date') return '0001-01-01'
  return type === 'datetime' ? '0001-01-01T00:00:00Z' : undefined
}

type Listed = {
  where?: Where | undefined
  linksTo?: string | undefined
  slug?: string | undefined
  asOf?: number | undefined
}

const canSort = (field: SchemaField, { where, linksTo, slug, asOf }: Listed): boolean =>
  (field.indexed === true || field.unique === true) &&
  field.many !== true &&
  least(field.type) !== undefined &&
  [linksTo, slug, asOf].every((one) => one === undefined) &&
  // A condition on another field, or on equality, may be the one that orders the list.
  toConditions(where).every((one) => one.field === field.name && /^[lg]te?$/.test(one.operator))

/** The fields of a kind by which a list can be sorted in full, with the conditions that it has. */
export const listSortable = (kind: SchemaKind | undefined, listed: Listed): SchemaField[] =>
  (kind?.fields ?? []).filter((field) => canSort(field, listed))

/** The conditions of a list that is sorted by a field. */
export const toSortedWhere = (field: SchemaField | undefined, where: Where | undefined): Where | undefined => {
  const lowest = field && least(field.type)
  if (!field || lowest === undefined) return where
  const isRange = toConditions(where).some((one) => one.field === field.name)
  return isRange ? where : { ...where, [field.name]: { gte: lowest } }
}
