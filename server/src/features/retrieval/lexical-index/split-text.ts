// Long texts are searched by passages of some 200 words: about what an embedding model takes in, and short enough to be
// read as an answer. Passages end where paragraphs do, else where sentences do, else between words.

/** The character that ends a page, in texts with pages: a form feed. No passage is on two pages. */
export const pageEnd = '\f'

/** The start and end of a passage in its text, in UTF-16 code units. */
export type Span = { starts: number; ends: number }

/** The maximum of words in a passage. In scripts without spaces, each character counts as one. */
const maxWords = 200
/** The maximum of characters in a passage, however few words they are. */
const maxCharacters = 2_000

// Every repetition is bounded, so that the search for an end is short for any text.
const sentenceEnds = /\n\s{0,20}|\f|[.!?]["'”’)\]]{0,3}\s|[。！？]/g

const oneEach = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
// Only matched against texts up to the length of a passage: a match of millions of characters would overflow the stack.
const words = new RegExp(`[${oneEach}]|[[\\p{L}\\p{N}\\p{M}]--[${oneEach}]]+`, 'gv')

type Piece = Span & { words: number; endsParagraph: boolean; endsPage: boolean }

/** Counts the words of a text that is no longer than a passage. */
const countWords = (text: string): number => {
  let count = 0
  words.lastIndex = 0
  while (words.test(text)) count++
  return count
}

/** The start of the first word beyond those of a passage in a text that is no longer than one; else the end of the text. */
const findWordBeyond = (text: string): number => {
  words.lastIndex = 0
  for (let count = 0; count < maxWords; count++) if (!words.test(text)) return text.length
  return words.exec(text)?.index ?? text.length
}

/** The position to cut a text that is too long for one passage: after the last space before the limit, or at the limit. */
const cutPoint = (text: string, from: number, limit: number): number => {
  const space = from + text.slice(from, limit + 1).lastIndexOf(' ')
  if (space > from + limit / 4 - from / 4) return space + 1
  // Never inside a surrogate pair.
  return /[\udc00-\udfff]/.test(text[limit] ?? '') ? limit - 1 : limit
}

/** Cuts a sentence that is longer than a passage may be. */
function* cutSentence(text: string, { starts, ends }: Span): Generator<Span> {
  let from = starts
  while (from < ends) {
    const limit = from + findWordBeyond(text.slice(from, Math.min(ends, from + maxCharacters)))
    const to = limit === ends ? ends : Math.max(from + 1, cutPoint(text, from, limit))
    yield { starts: from, ends: to }
    from = to
  }
}

/** The end of the sentence that begins at a position, with the spaces after it. It has at least one character. */
const findSentenceEnd = (text: string, starts: number): number => {
  sentenceEnds.lastIndex = starts + 1
  const end = sentenceEnds.exec(text)
  return end ? end.index + end[0].length : text.length
}

function* splitPieces(text: string): Generator<Piece> {
  for (let starts = 0, ends = 0; starts < text.length; starts = ends) {
    ends = findSentenceEnd(text, starts)
    const whole = { starts, ends }
    const sentence = text.slice(starts, ends)
    const ending = { endsParagraph: /\n\s*\n/.test(sentence), endsPage: sentence.includes(pageEnd) }
    const count = sentence.length > maxCharacters ? undefined : countWords(sentence)
    if (count !== undefined && count <= maxWords) yield { ...whole, words: count, ...ending }
    else
      for (const part of cutSentence(text, whole))
        yield { ...part, words: countWords(text.slice(part.starts, part.ends)), ...ending }
  }
}

/** Trims the spaces at both ends of a passage. */
const trim = (text: string, { starts, ends }: Span): Span => {
  const passage = text.slice(starts, ends)
  const begin = starts + passage.length - passage.trimStart().length
  return { starts: begin, ends: Math.max(begin, starts + passage.trimEnd().length) }
}

/** Joins the sentences of one passage. */
function* joinPieces(text: string): Generator<Span> {
  let open: Piece | undefined
  for (const piece of splitPieces(text)) {
    const fits = open && open.words + piece.words <= maxWords && piece.ends - open.starts <= maxCharacters
    // A new paragraph begins a new passage if the one before is long enough.
    if (open && fits && !open.endsPage && !(open.endsParagraph && open.words > maxWords / 2))
      open = { ...piece, starts: open.starts, words: open.words + piece.words }
    else {
      if (open) yield open
      open = piece
    }
  }
  if (open) yield open
}

/** Splits a text into passages, which together have all of its words. A text without words has one empty passage. */
export function* splitText(text: string): Generator<Span> {
  const isShort = text.length <= maxCharacters && !text.trimEnd().includes(pageEnd) && countWords(text) <= maxWords
  let isEmpty = true
  for (const span of isShort ? [{ starts: 0, ends: text.length }] : joinPieces(text)) {
    const { starts, ends } = trim(text, span)
    if (ends === starts && !isShort) continue
    isEmpty = false
    yield { starts, ends }
  }
  if (isEmpty) yield { starts: 0, ends: 0 }
}
