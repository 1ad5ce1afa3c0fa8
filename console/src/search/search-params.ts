import { type SearchMode, searchMode } from '@noema/contracts/search.ts'
import { type ThingRef, thingTypeOf } from '../items/paths.ts'

/** What to search for, and in what, as the address tells it. Texts are as they were typed. */
export type Wanted = {
  q: string
  mode: SearchMode
  types: readonly ThingRef['type'][]
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

export const wantedIn = (search: URLSearchParams): Wanted => {
  const textOf = (name: string) => search.get(name)?.trim() ?? ''
  return {
    q: textOf('q'),
    mode: searchMode.options.find((mode) => mode === textOf('mode')) ?? 'hybrid',
    types: listIn(textOf('types')).flatMap((name) => thingTypeOf(name) ?? []),
    kinds: textOf('kinds'),
    asOf: textOf('asOf'),
    limit: limits.find((limit) => String(limit) === textOf('limit')) ?? limits[0],
  }
}

/** What narrows a search down, as changes of the address that take it away. */
export const noFilters = { mode: undefined, types: undefined, kinds: undefined, asOf: undefined, limit: undefined }

export const isNarrowed = ({ types, kinds, asOf }: Wanted): boolean => types.length > 0 || kinds !== '' || asOf !== ''

/** The query of the call. What stands in the address but cannot be, the service refuses in its own words. */
export const queryOf = ({ q, mode, types, kinds, asOf, limit }: Wanted) => ({
  q,
  mode,
  limit,
  types: types.length > 0 ? types : undefined,
  kinds: kinds === '' ? undefined : listIn(kinds),
  asOf: asOf === '' ? undefined : Number(asOf),
})
