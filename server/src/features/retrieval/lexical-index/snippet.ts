import type { Token } from '../terms/terms.ts'
import type { LivePassage, Snippet } from './types.ts'

const maxLength = 320
/** The characters that are shown before the first word of the query. */
const lead = 40
const maxWords = 12

/** The tokens that a window shows, and the number of different terms. */
const openWindow = () => {
  const shown = new Set<Token>()
  const counts = new Map<string, number>()
  const count = (term: string, change: number) => {
    const left = (counts.get(term) ?? 0) + change
    if (left > 0) counts.set(term, left)
    else counts.delete(term)
  }
  return {
    add: (token: Token): void => {
      shown.add(token)
      count(token.term, 1)
    },
    remove: (token: Token): void => {
      if (shown.delete(token)) count(token.term, -1)
    },
    terms: (): number => counts.size,
  }
}

/**
 * The token from which a window shows the most different terms. A passage may be one character a thousand times, so each token
 * enters the window once and leaves it once.
 */
const findBestStart = (tokens: readonly Token[]): Token | undefined => {
  const byEnd = tokens.toSorted((a, b) => a.ends - b.ends)
  const window = openWindow()
  let [entering, leaving] = [0, 0]
  let best: { token: Token; terms: number } | undefined
  for (const token of tokens) {
    const end = token.starts + maxLength - lead
    // A token that began before is longer than a window.
    for (let one = byEnd[entering]; one && one.ends <= end; one = byEnd[++entering])
      if (one.starts >= token.starts) window.add(one)
    for (let one = tokens[leaving]; one && one.starts < token.starts; one = tokens[++leaving]) window.remove(one)
    const terms = window.terms()
    if (!best || terms > best.terms) best = { token, terms }
  }
  return best?.token
}

/** A position that does not split a surrogate pair. */
const toWholeCharacter = (text: string, at: number): number =>
  /^[\udc00-\udfff]/.test(text.slice(at, at + 1)) ? at - 1 : at

/** The start and end of a window that cuts no word. */
const placeWindow = (text: string, from: number): { start: number; end: number } => {
  if (text.length <= maxLength) return { start: 0, end: text.length }
  const begin = Math.max(0, Math.min(from - lead, text.length - maxLength))
  const space = text.slice(begin, from).search(/\s/)
  const start = begin === 0 || space === -1 ? Math.min(begin, from) : begin + space + 1
  const end = Math.min(text.length, start + maxLength)
  const cut = end === text.length ? end : Math.max(text.lastIndexOf(' ', end), text.lastIndexOf('\n', end))
  return {
    start: toWholeCharacter(text, start),
    end: toWholeCharacter(text, cut > start + maxLength / 2 ? cut : end),
  }
}

/** Tokens in their order, each once: a character may be found as a word and by itself. */
const sortTokens = (tokens: readonly Token[]): Token[] =>
  [...new Map(tokens.map((token) => [`${token.starts} ${token.term}`, token])).values()].sort(
    (a, b) => a.starts - b.starts,
  )

/** Tokens that overlap, as pairs of characters do, as one. */
const mergeOverlaps = (tokens: readonly Token[]): Token[] => {
  const merged: Token[] = []
  for (const token of tokens) {
    const last = merged.at(-1)
    if (last && token.starts < last.ends) merged[merged.length - 1] = { ...last, ends: Math.max(last.ends, token.ends) }
    else merged.push(token)
  }
  return merged
}

/** The excerpt of a passage with most terms of the query, whose tokens are positions in the prefix followed by the text. */
export const makeSnippet = (
  { text, prefix }: Pick<LivePassage, 'text' | 'prefix'>,
  tokens: readonly Token[],
): Snippet => {
  const inText = sortTokens(
    tokens.flatMap(({ term, starts, ends }) =>
      starts < prefix.length ? [] : [{ term, starts: starts - prefix.length, ends: ends - prefix.length }],
    ),
  )
  const { start, end } = placeWindow(text, findBestStart(inText)?.starts ?? 0)
  const shown = inText.filter(({ starts, ends }) => starts >= start && ends <= end)
  const inPrefix = sortTokens(tokens.filter(({ starts }) => starts < prefix.length)).filter(
    ({ term }) => !shown.some((token) => token.term === term),
  )
  const readWords = (part: string, among: readonly Token[]) =>
    among.map(({ starts, ends }) => part.slice(starts, ends).toLowerCase())
  const words = new Set([...readWords(text, shown), ...readWords(prefix, inPrefix)])
  return {
    text: text.slice(start, end),
    start,
    highlights: mergeOverlaps(shown).map((token) => ({ start: token.starts - start, end: token.ends - start })),
    words: [...words].slice(0, maxWords),
  }
}
