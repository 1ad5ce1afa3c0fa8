import type { ListOrder } from '@noema/contracts/common.ts'
import type { BodyOutput } from '@noema/contracts/endpoint.ts'
import type { queryRecords } from '@noema/contracts/query.ts'
import type { BrainRecord } from '@noema/contracts/records.ts'
import type { RawBuilder } from 'kysely'
import type { Json } from '../../../shared/text/json.ts'
import type { Tx } from '../../../storage/database.ts'
import type { BrainRow } from '../../kernel/brains/brain-queries.ts'
import { indexesInWork } from '../../knowledge/field-indexes/field-index-queries.ts'
import type { CompiledSchema } from '../../knowledge/kinds/kinds.ts'
import { listedRecords } from '../../knowledge/records/record-queries.ts'
import { badCursor, type PageRequest } from '../../platform/cursors/cursors.ts'
import { indexBounds, indexNotReady, isAsked, leading, type Predicate, placeIn, toPredicates } from './predicates.ts'
import { type Candidate, recordsAmong, recordsInRange, recordsWithValue, selectCandidates } from './queries.ts'

// Queries by fields: the index of one of them leads to candidates in an order, and each is then held against all that was
// asked. A page looks at so many candidates and no more.

type Query = BodyOutput<typeof queryRecords>
export type Conditions = Readonly<Record<string, Json>>

/** Where a page ends: a record, or a value and a record where the order is that of a field. */
export type Place = string | [value: string, id: string]

/** A page of records, and the last that it looked at; none where it looked at nothing. */
export type Page = { records: BrainRecord[]; end: Place | undefined; hasMore: boolean }

/** How many candidates a page looks at where some may not be what was asked for. */
const examinedPerPage = 1_000

/** The JSON text that a query reads at once. It opens records, so it reads less of them than pages that only pass them on. */
export const maxQueryBytes = 4 * 1024 * 1024

/** What is asked of fields, each of which must be declared indexed. */
const parseConditions = (
  { kind, asOf }: Query,
  { schema, conditions }: { schema: CompiledSchema; conditions: Conditions },
): Predicate[] => {
  const declared = schema.byKind.get(kind)?.fields
  return Object.entries(conditions).flatMap(([name, condition]) => {
    const field = declared?.get(name)
    if (!field?.indexed)
      throw indexNotReady(
        name,
        `only slug (by exact equality) and fields that the schema of ${kind} declares indexed can be. Declare it indexed, or use a search.`,
      )
    const predicates = toPredicates(field, condition)
    if (asOf !== undefined)
      throw indexNotReady(name, 'its index contains the current state only. Leave asOf out, or query by slug.')
    return predicates
  })
}

/** What is asked of fields, whose indexes must be built. A wrong question is told at once, not when they are. */
const readPredicates = async (
  tx: Tx,
  brainId: number,
  query: Query,
  asked: { schema: CompiledSchema; conditions: Conditions },
): Promise<Predicate[]> => {
  const predicates = parseConditions(query, asked)
  const inWork = await indexesInWork(tx, brainId, query.kind)
  for (const { field } of predicates)
    if (inWork.has(field.name)) throw indexNotReady(field.name, 'its index is being built. Try again shortly.')
  return predicates
}

type Leading = { kind: string; slug: string | undefined; lead: Predicate }

/** The candidates that the slug leads to, or else one predicate, after a place. */
const proposeCandidates = (
  { brainId }: BrainRow,
  { kind, slug, lead }: Leading,
  { after, ...page }: PageRequest<Place>,
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

/** Whether a candidate stands where its record comes: one that a range takes in by several values comes once. */
const isInPlace = (lead: Predicate, order: ListOrder, { value }: Candidate, { fields }: BrainRecord): boolean => {
  if ('values' in lead || value === null) return true
  const own = placeIn(lead, fields, order)
  return typeof own === 'number' ? own === Number(value) : own === value
}

/** A page of the records of which all conditions hold. */
export const queryFieldPage = async (
  tx: Tx,
  brain: BrainRow,
  query: Query,
  asked: { schema: CompiledSchema; conditions: Conditions; slug: string | undefined; after: Place | undefined },
): Promise<Page> => {
  const { kind, limit, order } = query
  const { slug, after } = asked
  const predicates = await readPredicates(tx, brain.brainId, query, asked)
  const lead = leading(predicates)
  if (!lead) return { records: [], end: after, hasMore: false }
  const isExact = predicates.length === 1 && !lead.field.many
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
    return !isRepeated && isInPlace(lead, order, candidate, record) && isAsked(predicates, record.fields)
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
