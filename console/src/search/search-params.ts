import { type SearchMode, searchMode } from '@noema/contracts/search.ts'
import { type ItemRef, toItemType } from '../items/paths.ts'

/** What to search for, and in what, as the address tells it. Texts are as they were typed. */
export type SearchParams = {
  q: string
  mode: SearchMode
  types: readonly ItemRef['type'][]
  kinds: string
  asOf: string
  limit: number
}

/** How many results are shown at first, and when more are wanted. */
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
    mode: searchMode.options.find((mode) => mode === readText('mode')) ?? 'hybrid',
    types: listIn(readText('types')).flatMap((name) => toItemType(name) ?? []),
    kinds: readText('kinds'),
    asOf: readText('asOf'),
    limit: limits.find((limit) => String(limit) === readText('limit')) ?? limits[0],
  }
}

/** What narrows a search down, as changes of the address that take it away. */
export const noFilters = { mode: undefined, types: undefined, kinds: undefined, asOf: undefined, limit: undefined }

export const isNarrowed = ({ types, kinds, asOf }: SearchParams): boolean =>
  types.length > 0 || kinds !== '' || asOf !== ''

/** The query of the call. What stands in the address but cannot be, the service refuses in its own words. */
export const toSearchQuery = ({ q, mode, types, kinds, asOf, limit }: SearchParams) => ({
  q,
  mode,
  limit,
  types: types.length > 0 ? types : undefined,
  kinds: kinds === '' ? undefined : listIn(kinds),
  asOf: asOf === '' ? undefined : Number(asOf),
})
