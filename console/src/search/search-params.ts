import type { MinEvidence, SearchMode } from '@noema/contracts/search.ts'
import { type ItemRef, toItemType } from '../data/item-paths.ts'

/** The search and its filters, as the URL holds them. Texts are as typed. */
export type SearchParams = {
  q: string
  mode: SearchMode
  types: readonly ItemRef['type'][]
  kinds: string
  source: string
  /** Days. */
  since: string
  until: string
  /** Values of metadata as key=value, separated by commas. */
  metadata: string
  asOf: string
  limit: number
  minEvidence: MinEvidence | undefined
}

export const searchModes = ['hybrid', 'lexical', 'semantic'] as const satisfies SearchMode[]
const minEvidences = ['weak', 'strong'] as const satisfies MinEvidence[]

/** The number of results at first, and after a request for more. */
const limits = [20, 50, 100] as const

export const nextLimit = (limit: number): number | undefined => limits.find((next) => next > limit)

const listIn = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

export const readSearchParams = (search: URLSearchParams): SearchParams => {
  const readText = (name: string) => search.get(name)?.trim() ?? ''
  return {
    q: readText('q'),
    mode: searchModes.find((mode) => mode === readText('mode')) ?? 'hybrid',
    minEvidence: minEvidences.find((one) => one === readText('minEvidence')),
    types: listIn(readText('types')).flatMap((name) => toItemType(name) ?? []),
    kinds: readText('kinds'),
    source: readText('source'),
    since: readText('since'),
    until: readText('until'),
    metadata: readText('metadata'),
    asOf: readText('asOf'),
    limit: limits.find((limit) => String(limit) === readText('limit')) ?? limits[0],
  }
}

/** The filters of a search, as URL changes that remove them. */
export const noFilters = {
  ...{ mode: undefined, types: undefined, kinds: undefined, asOf: undefined, limit: undefined },
  ...{ source: undefined, since: undefined, until: undefined, metadata: undefined, minEvidence: undefined },
}

export const isNarrowed = ({
  types,
  kinds,
  source,
  since,
  until,
  metadata,
  asOf,
  minEvidence,
}: SearchParams): boolean =>
  types.length > 0 ||
  [kinds, source, since, until, metadata, asOf].some((text) => text !== '') ||
  minEvidence !== undefined

/** A day as its start in UTC; a time of the URL stays as it is. */
const toTime = (text: string): string => (/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)

const toMetadata = (text: string): Record<string, string> =>
  Object.fromEntries(
    listIn(text).map((pair) => {
      const at = pair.indexOf('=')
      return at < 1 ? [pair, ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )

const toFilters = ({ source, since, until, metadata }: SearchParams) => ({
  ...(source !== '' && { source }),
  ...(since !== '' && { since: toTime(since) }),
  ...(until !== '' && { until: toTime(until) }),
  ...(metadata !== '' && { metadata: toMetadata(metadata) }),
})

/** The query of the call. The service refuses invalid values of the URL. */
export const toSearchQuery = (params: SearchParams) => {
  const { q, mode, types, kinds, asOf, limit, minEvidence } = params
  return {
    q,
    ...toFilters(params),
    mode,
    limit,
    types: types.length > 0 ? types : undefined,
    kinds: kinds === '' ? undefined : listIn(kinds),
    asOf: asOf === '' ? undefined : Number(asOf),
    minEvidence,
  }
}

/** The same search as a request for a context, with its parameter names and a budget. */
export const toContextBody = (params: SearchParams, tokens: number) => {
  const { q, types, kinds, asOf, minEvidence } = toSearchQuery(params)
  return {
    query: q,
    budget: { tokens },
    ...toFilters(params),
    ...(types && { types: [...types] }),
    ...(kinds && { kinds }),
    ...(asOf !== undefined && { asOf }),
    ...(minEvidence && { minEvidence }),
  }
}
