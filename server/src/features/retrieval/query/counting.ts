import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import { maxCounted, maxGroups, type QueryGroup, type queryRecords } from '@noema/contracts/query.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import { createFairLimiter, type FairLimiter } from '../../../shared/concurrency/fair-limiter.ts'
import { invalidArgument } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import {
  type Condition,
  type Counted,
  countAtState,
  countMatching,
  type Grouping,
  type GroupRow,
  selectGroups,
} from './count-queries.ts'
import type { Predicate } from './predicates.ts'

// Counts and groups of all records that match a query. They read the index of every condition and intersect what they find, so
// a condition must be one that the index decides by itself, and their number and what each reads are limited.

type Query = BodyOutput<typeof queryRecords>
export type Aggregate = NonNullable<Query['aggregate']>

/** The conditions of a query as they are counted, and the fields that it groups by and sums up. */
export type Counting = {
  slug: string | undefined
  predicates: readonly Predicate[]
  by: SchemaField | undefined
  of: SchemaField | undefined
}

const maxConditions = 4

/** The counts that run at once on a node. Each may take PostgreSQL some tenths of a second. */
export const createCountSlots = (): FairLimiter => createFairLimiter({ node: 4, organization: 2, key: 2 })

/** The limit of each of some scans: many together read no more than two. */
const toLimit = (scans: number): number => Math.min(maxCounted, Math.floor((2 * maxCounted) / scans))

/** The index has the first 200 characters of a text: a longer bound may differ from a text beyond them. */
const maxBoundLength = 198

const checkBound = (predicate: Predicate): void => {
  if (!('column' in predicate) || predicate.column !== 'text') return
  const bounds = [predicate.low, predicate.high]
  if (bounds.some((bound) => typeof bound?.value === 'string' && bound.value.length > maxBoundLength))
    throw invalidArgument(
      ['where', predicate.field.name],
      `a count compares texts of at most ${maxBoundLength} characters.`,
    )
}

const toConditions = ({ slug, predicates }: Counting): Condition[] => {
  for (const predicate of predicates) checkBound(predicate)
  const conditions = [...(slug === undefined ? [] : [{ slug }]), ...predicates]
  if (conditions.length > maxConditions)
    throw invalidArgument(['where'], `a count takes at most ${maxConditions} conditions.`)
  return conditions
}

/** Counts all records that match. */
export const countRecords = async (
  tx: Tx,
  { brainId }: BrainRow,
  { kind, asOf }: Query,
  counting: Counting,
): Promise<Counted> => {
  const of = { brainId, kind }
  const { slug } = counting
  const conditions = toConditions(counting)
  const found =
    asOf === undefined
      ? await countMatching(tx, of, { conditions, max: toLimit(conditions.length) })
      : await countAtState(tx, of, { slug, asOf, max: maxCounted })
  return found ?? { value: 0, exact: true }
}

/** The predicate on a field with a single value, if there is one: then its index needs to be read only once. */
const findOwn = (field: SchemaField | undefined, predicates: readonly Predicate[]): Predicate | undefined => {
  const own = predicates.filter((predicate) => predicate.field.name === field?.name)
  return field?.many || own.length > 1 ? undefined : own[0]
}

const checkTypes = ({
  by,
  interval,
  of,
}: {
  by: SchemaField | undefined
  interval: unknown
  of: SchemaField | undefined
}): void => {
  if (interval !== undefined && by?.type !== 'date' && by?.type !== 'datetime')
    throw invalidArgument(['aggregate', 'interval'], 'an interval takes by, a field of type date or datetime.')
  if (of && of.type !== 'number' && of.type !== 'integer')
    throw invalidArgument(['aggregate', 'of'], `only numbers can be summed up, and ${of.name} is of type ${of.type}.`)
}

const toGrouping = ({ interval }: Aggregate, counting: Counting, order: Query['order']): Grouping => {
  const { by, of, predicates } = counting
  checkTypes({ by, interval, of })
  const ofBy = findOwn(by, predicates)
  const rest = predicates.filter((predicate) => predicate !== ofBy)
  toConditions(counting)
  return {
    by: by && { field: by.name, predicate: ofBy, interval },
    of: of && { field: of.name, predicate: findOwn(of, predicates) },
    conditions: toConditions({ ...counting, predicates: rest }),
    order,
  }
}

/** A value as its record has it: the index has dates as the moments that they begin at. */
const toKey = ({ type }: SchemaField, { key, start }: GroupRow, isInterval: boolean): Json => {
  if (isInterval) return start
  const value: Json = key === null ? null : JSON.parse(key)
  return type === 'date' && typeof value === 'string' ? value.replace(/T00:00:00\.000Z$/, '') : value
}

const toGroup = (row: GroupRow, { by, of }: Counting, { interval }: Aggregate): QueryGroup => {
  const { count, sum, avg, min, max } = row
  return {
    ...(by ? { key: toKey(by, row, interval !== undefined) } : {}),
    count,
    ...(of ? { sum, avg, min, max } : {}),
  }
}

/** Groups all records that match. */
export const groupRecords = async (
  tx: Tx,
  { brainId }: BrainRow,
  { kind, order, aggregate }: Query & { aggregate: Aggregate },
  counting: Counting,
) => {
  const grouping = toGrouping(aggregate, counting, order)
  const { groups, exact } = await selectGroups(tx, { brainId, kind }, grouping, {
    max: toLimit(grouping.conditions.length + (counting.by ? 1 : 0) + (counting.of ? 1 : 0)),
    maxGroups,
  })
  return {
    groups: groups.slice(0, maxGroups).map((row) => toGroup(row, counting, aggregate)),
    hasMore: groups.length > maxGroups,
    exact,
  }
}
