import { readFilterValues, toHash } from './filter-columns.ts'
import { type FilterName, metadataPrefix } from './filter-queries.ts'
import type { IndexMoment } from './index-cache.ts'
import { findLists } from './lexical-search.ts'
import { kindTerm, typeTerm } from './split-version.ts'
import type { Narrowing, Section } from './types.ts'

// The filters of a search, applied before anything is ranked. Both halves of the search get the passages that are left.

/** One filter: passages with one of some terms, or versions with a value that fits. */
type Filter = { terms: readonly string[] } | { name: FilterName; isFitting: (value: number) => boolean }

const toTimeFilter = ({ since, until }: Narrowing): Filter[] => {
  if (since === undefined && until === undefined) return []
  const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
  const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
  return [{ name: 'time', isFitting: (time) => time >= from && time < to }]
}

const toTextFilter = (name: FilterName, texts: readonly string[]): Filter => {
  const hashes = new Set(texts.map(toHash))
  return { name, isFitting: (value) => hashes.has(value) }
}

const toSectionFilters = ({ types, kinds, sources, metadata = {} }: Section): Filter[] => [
  ...(types ? [{ terms: types.map(typeTerm) }] : []),
  ...(kinds ? [{ terms: kinds.map(kindTerm) }] : []),
  ...(sources ? [toTextFilter('source', sources)] : []),
  ...Object.entries(metadata).map(([key, value]) => toTextFilter(`${metadataPrefix}${key}`, [String(value)])),
]

/** The filters of a request, and those of the part of the Brain that it reads. */
export const toFilters = ({ section, source, ...narrowing }: Narrowing): Filter[] => [
  ...toSectionFilters({ ...narrowing, sources: source === undefined ? undefined : [source] }),
  ...toTimeFilter(narrowing),
  ...(section ? toSectionFilters(section) : []),
]

const findByTerms = (moment: IndexMoment, terms: readonly string[], holds: Uint8Array): void => {
  for (const term of terms)
    for (const { passages } of findLists(moment, moment.lists, term)) for (const passage of passages) holds[passage] = 1
}

const findByValue = (
  { filters, columns, lastPassage, unindexed }: IndexMoment,
  { name, isFitting }: Extract<Filter, { name: FilterName }>,
  holds: Uint8Array,
): void => {
  filters.get(name)?.visitFirsts(isFitting, lastPassage, (first) => {
    holds.fill(1, first, Math.min(lastPassage, columns.findLast(first)) + 1)
  })
  for (const [index, { item }] of unindexed.entries())
    if (readFilterValues(item, name).some(isFitting)) holds[lastPassage + 1 + index] = 1
}

/** Marks, in the first, what both mark. */
const keepBoth = (one: Uint8Array, other: Uint8Array): Uint8Array => {
  for (let passage = 0; passage < one.length; passage++) if (other[passage] === 0) one[passage] = 0
  return one
}

/** 1 for each passage that passes all filters; undefined without filters. */
export const applyFilters = (moment: IndexMoment, filters: readonly Filter[]): Uint8Array | undefined => {
  let fitting: Uint8Array | undefined
  for (const filter of filters) {
    const holds = new Uint8Array(moment.lastPassage + moment.unindexed.length + 1)
    if ('terms' in filter) findByTerms(moment, filter.terms, holds)
    else findByValue(moment, filter, holds)
    fitting = fitting ? keepBoth(fitting, holds) : holds
  }
  return fitting
}
