import type { ListOrder } from '@noema/contracts/common.ts'
import { type QueryOperator, queryOperators } from '@noema/contracts/query.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import { type ApiError, invalidArgument, type Path, refuseAt } from '../../../shared/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../shared/text/json.ts'
import { toMoment, truncateText, valueKey, valuesIn } from '../../knowledge/field-indexes/field-indexes.ts'
import { expectation, fitsOne } from '../../knowledge/kinds/kinds.ts'

// The conditions of a query on indexed fields. An index finds candidates; the record itself decides whether it matches.

/** The column of the index that has the order of a field. */
export type OrderColumn = 'text' | 'number' | 'at' | 'value'

type Order = string | number
type Bound = { value: Order; isIncluded: boolean }

/** One condition on a field: it has one of some values, or a value in a range. */
export type Predicate =
  | { field: SchemaField; values: ReadonlySet<string> }
  | { field: SchemaField; column: OrderColumn; low: Bound | undefined; high: Bound | undefined }

/** The entry of a record that has no value. */
const noValue = 'null'

const refuse = (name: string, message: string): never => {
  throw invalidArgument(['where', name], message)
}

/** The refusal of a query that no index answers (QRY-03). */
export const indexNotReady = (name: string, why: string, path: Path = ['where', name]): ApiError =>
  refuseAt(path, `The field ${name} cannot be queried: ${why}`, { code: 'index_not_ready' })

/** Compares texts by their code points, as UTF-8 and the index do. */
const compareText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const compare = (a: Order, b: Order): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : compareText(String(a), String(b))

const findColumn = ({ type }: SchemaField): OrderColumn => {
  if (type === 'integer' || type === 'number') return 'number'
  return type === 'date' || type === 'datetime' ? 'at' : 'text'
}

/** The sort key of a value; undefined if a record older than the declaration has a value of another type. */
const toOrder = (field: SchemaField, column: OrderColumn, value: Json): Order | undefined => {
  if (column === 'value') return valueKey(field, value)
  if (column === 'number') return typeof value === 'number' ? value : undefined
  if (typeof value !== 'string') return undefined
  return column === 'text' ? value : toMoment(field, value)
}

const checked = (field: SchemaField, value: Json | undefined): Json => {
  if (value === undefined || !fitsOne(field, value))
    return refuse(field.name, `expected ${expectation({ ...field, many: false })}.`)
  return value
}

/** The values of an enum or a boolean, in their order: an enum's is that of its declaration. */
const listed = ({ type, values }: SchemaField): Json[] | undefined => {
  if (type === 'boolean') return [false, true]
  return type === 'enum' ? (values ?? []) : undefined
}

const holds = (operator: QueryOperator, difference: number): boolean =>
  (operator === 'lt' && difference < 0) ||
  (operator === 'lte' && difference <= 0) ||
  (operator === 'gt' && difference > 0) ||
  (operator === 'gte' && difference >= 0)

const toRange = (field: SchemaField, operator: QueryOperator, given: Json): Predicate => {
  const value = checked(field, given)
  const list = listed(field)
  if (list) {
    const kept = list.filter((_one, index) => holds(operator, index - list.indexOf(value)))
    return { field, values: new Set(kept.map((one) => valueKey(field, one))) }
  }
  const column = findColumn(field)
  const bound = { value: toOrder(field, column, value) ?? '', isIncluded: operator.endsWith('e') }
  const isLow = operator.startsWith('g')
  return { field, column, low: isLow ? bound : undefined, high: isLow ? undefined : bound }
}

const maxValues = 100

const toValues = (field: SchemaField, given: Json): Predicate => {
  if (!Array.isArray(given) || given.length > maxValues)
    return refuse(field.name, `in takes a list of at most ${maxValues} values.`)
  return { field, values: new Set(given.map((value) => valueKey(field, checked(field, value)))) }
}

const toPredicate = (field: SchemaField, operator: string, given: Json): Predicate => {
  switch (operator) {
    case 'eq':
      return { field, values: new Set([valueKey(field, checked(field, given))]) }
    case 'in':
      return toValues(field, given)
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
      return toRange(field, operator, given)
    case 'exists':
      if (typeof given !== 'boolean') return refuse(field.name, 'exists is true or false.')
      return given ? { field, column: 'value', low: undefined, high: undefined } : { field, values: new Set([noValue]) }
    default:
      throw indexNotReady(field.name, `${JSON.stringify(operator)} is none of ${queryOperators.join(', ')}.`)
  }
}

/** The two ends of one range as one predicate: a field with a single value is within both or not at all. */
const joinEnds = (predicates: Predicate[]): Predicate[] => {
  const [first, second] = predicates
  if (predicates.length !== 2 || !first || !second || first.field.many) return predicates
  if (!('column' in first) || !('column' in second) || first.column !== second.column) return predicates
  if ((first.low && second.low) || (first.high && second.high)) return predicates
  return [{ ...first, low: first.low ?? second.low, high: first.high ?? second.high }]
}

/** The condition on one field. A plain value is short for `eq`. */
export const toPredicates = (field: SchemaField, condition: Json): Predicate[] => {
  const operators: JsonObject = isJsonObject(condition) ? condition : { eq: condition }
  const found = Object.entries(operators).map(([operator, given]) => toPredicate(field, operator, given))
  if (found.length === 0) return refuse(field.name, `ask one or more of ${queryOperators.join(', ')}.`)
  return joinEnds(found)
}

const isWithin = (order: Order, { low, high }: { low: Bound | undefined; high: Bound | undefined }): boolean => {
  const above = low ? compare(order, low.value) : 1
  const below = high ? compare(order, high.value) : -1
  return (
    (above > 0 || (above === 0 && low?.isIncluded === true)) &&
    (below < 0 || (below === 0 && high?.isIncluded === true))
  )
}

/** The sort keys of a record's values that are in a range. */
const ordersWithin = (predicate: Extract<Predicate, { column: OrderColumn }>, fields: JsonObject): Order[] =>
  valuesIn(fields[predicate.field.name]).flatMap((value) => {
    const order = toOrder(predicate.field, predicate.column, value)
    return order !== undefined && isWithin(order, predicate) ? [order] : []
  })

/** Checks whether a record matches. */
export const isMatch = (predicates: readonly Predicate[], fields: JsonObject): boolean =>
  predicates.every((predicate) => {
    if ('column' in predicate) return ordersWithin(predicate, fields).length > 0
    const values = valuesIn(fields[predicate.field.name])
    return values.length === 0
      ? predicate.values.has(noValue)
      : values.some((value) => predicate.values.has(valueKey(predicate.field, value)))
  })

const indexedText = (order: Order): Order => (typeof order === 'string' ? truncateText(order) : order)

/** The sort key of a record in the order of a range: the first of its values there. */
export const placeIn = (
  predicate: Extract<Predicate, { column: OrderColumn }>,
  fields: JsonObject,
  order: ListOrder,
): Order | undefined => {
  const direction = order === 'desc' ? -1 : 1
  const orders = ordersWithin(predicate, fields)
  const kept = predicate.column === 'text' ? orders.map(indexedText) : orders
  return kept.length === 0
    ? undefined
    : kept.reduce((first, one) => (compare(one, first) * direction < 0 ? one : first))
}

/** The bounds of a range in the index: it has only the beginnings of texts, so the lower bound is shortened a little. */
export const indexBounds = ({ column, low, high }: Extract<Predicate, { column: OrderColumn }>) => ({
  low: column === 'text' && typeof low?.value === 'string' ? truncateText(low.value, 199) : low?.value,
  high: high?.value,
})

/** The predicate whose index is read: the one with the fewest values, else a range, else whether there is a value at all. */
export const leading = (predicates: readonly Predicate[]): Predicate | undefined => {
  const rank = (predicate: Predicate): number => {
    if ('values' in predicate) return predicate.values.has(noValue) ? 2_000 : predicate.values.size
    return predicate.column === 'value' ? 3_000 : 1_000
  }
  return predicates.reduce<Predicate | undefined>(
    (best, one) => (best && rank(best) <= rank(one) ? best : one),
    undefined,
  )
}
