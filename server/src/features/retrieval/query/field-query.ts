import type { ListOrder } from '@noema/contracts/common.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { queryRecords } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { SchemaField } from '@noema/contracts/schema-kinds.ts'
import type { RawBuilder } from 'kysely'
import type { Path } from '../../../shared/errors.ts'
import type { Json } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { indexesInWork } from '../../knowledge/field-indexes/field-index-queries.ts'
import type { CompiledSchema } from '../../knowledge/kinds/kinds.ts'
import { listedRecords } from '../../knowledge/records/record-queries.ts'
import { badCursor, type PageRequest } from '../../platform/cursors/cursors.ts'
import type { Counting } from './counting.ts'
import { isFiltered, passesFilters } from './filters.ts'
import { indexBounds, indexNotReady, isMatch, leading, type Predicate, placeIn, toPredicates } from './predicates.ts'
import { type Candidate, recordsAmong, recordsInRange, recordsWithValue, selectCandidates } from './queries.ts'

// Queries by fields: the index of one field finds candidates in an order, and each record is then checked against all conditions. A
// page examines a limited number of candidates.

type Query = BodyOutput<typeof queryRecords>
export type Conditions = Readonly<Record<string, Json>>

/** The end of a page: a record, or a value and a record in the order of a field. */
export type QueryPosition = string | [value: string, id: string]

/** A page of records, and the last one that it examined; none where it examined nothing. */
export type Page = { records: BrainRecord[]; end: QueryPosition | undefined; hasMore: boolean }

/** The number of candidates that a page examines if some may not match. */
export const examinedPerPage = 1_000

/** The maximum of JSON text that a query reads at once. It parses records, so it reads fewer than pages that only send them. */
export const maxQueryBytes = 4 * 1024 * 1024

/** The declared fields, and the address of the service, whose guide says how to declare more. */
type Declared = { schema: CompiledSchema; publicUrl: string }
export type Asked = Declared & { conditions: Conditions; slug: string | undefined }

/** A field that the query reads by its index, which must be declared. `path`: where the query names it. */
const findIndexed = (
  { kind, asOf }: Query,
  { schema, publicUrl }: Declared,
  name: string,
  path?: Path,
): SchemaField => {
  const field = schema.byKind.get(kind)?.fields.get(name)
  if (!field?.indexed)
    throw indexNotReady(
      name,
      `only slug (by exact equality) and fields that the schema of ${kind} declares indexed can be. Declare it indexed (see ${publicUrl}/docs/guides/schema), or use a search.`,
      path,
    )
  if (asOf !== undefined && path)
    throw indexNotReady(name, 'its index contains the current state only. Leave asOf out.', path)
  return field
}

/** The conditions on fields. */
const parseConditions = (query: Query, asked: Asked): Predicate[] =>
  Object.entries(asked.conditions).flatMap(([name, condition]) => {
    const predicates = toPredicates(findIndexed(query, asked, name), condition)
    if (query.asOf !== undefined)
      throw indexNotReady(name, 'its index contains the current state only. Leave asOf out, or query by slug.')
    return predicates
  })

/**
 * The part of a query that indexes answer: its conditions on fields, and the fields that it groups by and sums. Those indexes
 * must be built; a wrong condition is refused even before they are.
 */
export const readIndexed = async (tx: Tx, { brainId }: BrainRow, query: Query, asked: Asked): Promise<Counting> => {
  const predicates = parseConditions(query, asked)
  const [by, of] = (['by', 'of'] as const).map((name) => {
    const field = query.aggregate?.[name]
    return field === undefined ? undefined : findIndexed(query, asked, field, ['aggregate', name])
  })
  const fields = [...predicates.map(({ field }) => field), ...(by ? [by] : []), ...(of ? [of] : [])]
  const inWork = fields.length === 0 ? new Set() : await indexesInWork(tx, brainId, query.kind)
  for (const { name } of fields)
    if (inWork.has(name)) throw indexNotReady(name, 'its index is being built. Try again shortly.')
  return { slug: asked.slug, predicates, by, of }
}

type Leading = { kind: string; slug: string | undefined; lead: Predicate }

/** The candidates after a position, by the slug or else by one predicate. */
const proposeCandidates = (
  { brainId }: BrainRow,
  { kind, slug, lead }: Leading,
  { after, ...page }: PageRequest<QueryPosition>,
): RawBuilder<unknown> => {
  const place = { brainId, kind, field: lead.field.name }
  if (slug === undefined && 'column' in lead) {
    if (typeof after === 'string') throw badCursor()
    return recordsInRange(place, lead.column, indexBounds(lead), { after, ...page })
  }
  if (Array.isArray(after)) throw badCursor()
  return 'values' in lead && slug === undefined
    ? recordsWithValue(place, [...lead.values], { after, ...page })
    : recordsAmong(listedRecords(brainId, { kind, slug }, { after, ...page }).rows, page)
}

/** Checks whether a candidate is at its record's position: a record with several values in a range is listed once. */
const isInPlace = (lead: Predicate, order: ListOrder, { value }: Candidate, { fields }: BrainRecord): boolean => {
  if ('values' in lead || value === null) return true
  const own = placeIn(lead, fields, order)
  return typeof own === 'number' ? own === Number(value) : own === value
}

/** Reads a page of the records that meet all conditions. */
export const queryFieldPage = async (
  tx: Tx,
  brain: BrainRow,
  query: Query,
  { slug, predicates, after }: Pick<Counting, 'slug' | 'predicates'> & { after: QueryPosition | undefined },
): Promise<Page> => {
  const { kind, limit, order } = query
  const lead = leading(predicates)
  if (!lead) return { records: [], end: after, hasMore: false }
  const isExact = predicates.length === 1 && !lead.field.many && !isFiltered(query)
  const take = isExact ? limit + 1 : Math.max(limit + 1, examinedPerPage)
  const found = await selectCandidates(
    tx,
    brain.brainId,
    proposeCandidates(brain, { kind, slug, lead }, { after, limit: take, order }),
    { limit: take, maxBytes: maxQueryBytes },
  )
  const read = found.map((candidate) => ({ candidate, record: JSON.parse(candidate.json) as BrainRecord }))
  const fitting = read.filter(({ candidate, record }, index) => {
    const before = found[index - 1]
    const isRepeated = before?.id === candidate.id && before.value === candidate.value
    if (isRepeated || !passesFilters(query, record)) return false
    return isInPlace(lead, order, candidate, record) && isMatch(predicates, record.fields)
  })
  const shown = fitting.slice(0, limit)
  const isCut = fitting.length > limit
  const end = isCut ? shown.at(-1)?.candidate : found.at(-1)
  return {
    records: shown.map(({ record }) => record),
    end: end === undefined ? after : end.value === null ? end.id : [end.value, end.id],
    hasMore: isCut || found.length === take || found.length < (found[0]?.found ?? 0),
  }
}
