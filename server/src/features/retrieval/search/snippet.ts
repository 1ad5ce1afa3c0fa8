import { placedTerms, singleTerms } from '../lexical-index/lexical-index.ts'

/** A stretch of a text that shows why it was found; places are in UTF-16 code units. */
export type Snippet = {
  text: string
  /** Where it stands in the text that it was taken from. */
  start: number
  highlights: { start: number; end: number }[]
  /** The words of the query that stand in it or in what else it was found by, as they are written there. */
  words: string[]
}

const longest = 320
/** What is shown before the first word that was found. */
const lead = 40
const mostWords = 12

type Place = { term: string; starts: number; ends: number }

/** The place from which a window shows the most different terms. */
const bestPlace = (places: readonly Place[]): Place | undefined => {
  let best: { place: Place; count: number } | undefined
  for (const place of places) {
    const within = places.filter(({ starts, ends }) => starts >= place.starts && ends <= place.starts + longest - lead)
    const count = new Set(within.map(({ term }) => term)).size
    if (!best || count > best.count) best = { place, count }
  }
  return best?.place
}

/** Where a window may begin and end so that no word is cut. */
const windowAt = (text: string, from: number): { start: number; end: number } => {
  if (text.length <= longest) return { start: 0, end: text.length }
  const begin = Math.max(0, Math.min(from - lead, text.length - longest))
  const space = text.slice(begin, from).search(/\s/)
  const start = begin === 0 || space === -1 ? Math.min(begin, from) : begin + space + 1
  const end = Math.min(text.length, start + longest)
  const cut = end === text.length ? end : Math.max(text.lastIndexOf(' ', end), text.lastIndexOf('\n', end))
  return { start: wholeCharacter(text, start), end: wholeCharacter(text, cut > start + longest / 2 ? cut : end) }
}

/** A place that does not part the halves of a surrogate pair. */
const wholeCharacter = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at

/** Where terms stand in a text, in its order. */
const placesIn = (text: string, terms: ReadonlySet<string>): Place[] => {
  const found = [...placedTerms(text), ...singleTerms(text)].filter(({ term }) => terms.has(term))
  return [...new Map(found.map((place) => [`${place.starts} ${place.term}`, place])).values()].sort(
    (a, b) => a.starts - b.starts,
  )
}

/** Shows a text by the stretch with most of the terms that were searched for. What else it was found by is not shown. */
export const snippetOf = (text: string, terms: ReadonlySet<string>, beside = ''): Snippet => {
  const places = placesIn(text, terms)
  const { start, end } = windowAt(text, bestPlace(places)?.starts ?? 0)
  const shown = places.filter(({ starts, ends }) => starts >= start && ends <= end)
  const inBeside = placesIn(beside, terms).filter(({ term }) => !shown.some((place) => place.term === term))
  const wordsOf = (part: string, of: readonly Place[]) =>
    of.map(({ starts, ends }) => part.slice(starts, ends).toLowerCase())
  const words = new Set([...wordsOf(text, shown), ...wordsOf(beside, inBeside)])
  return {
    text: text.slice(start, end),
    start,
    highlights: merged(shown).map((place) => ({ start: place.starts - start, end: place.ends - start })),
    words: [...words].slice(0, mostWords),
  }
}

/** Places that overlap, as pairs of characters do, as one. */
const merged = (places: readonly Place[]): Place[] => {
  const result: Place[] = []
  for (const place of places) {
    const last = result.at(-1)
    if (last && place.starts < last.ends) result[result.length - 1] = { ...last, ends: Math.max(last.ends, place.ends) }
    else result.push(place)
  }
  return result
}
