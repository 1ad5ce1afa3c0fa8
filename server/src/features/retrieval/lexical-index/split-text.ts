// Long texts are searched by passages of some 200 words: about what an embedding model takes in, and short enough to be
// read as an answer. Passages end where paragraphs do, else where sentences do, else between words.

/** Where a passage begins and ends in its text, in UTF-16 code units. */
export type Span = { starts: number; ends: number }

/** Words in a passage at most. Where no spaces are written, each character counts as one. */
const maxWords = 200
/** Characters in a passage at most, however few words they make. */
const maxCharacters = 2_000

// Every part that repeats is bounded, so that no text makes the search for an end long.
const sentenceEnds = /\n\s{0,20}|[.!?]["'”’)\]]{0,3}\s|[。！？]/g

const oneEach = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}'
// Only ever matched against what is no longer than a passage: a match of millions of characters would overflow the stack.
const words = new RegExp(`[${oneEach}]|[[\\p{L}\\p{N}\\p{M}]--[${oneEach}]]+`, 'gv')

type Piece = Span & { words: number; endsParagraph: boolean }

/** Counts the words of a text that is no longer than a passage. */
const countWords = (text: string): number => {
  let count = 0
  words.lastIndex = 0
  while (words.test(text)) count++
  return count
}

/** Where the first word beyond those of a passage begins in a text that is no longer than one; its end where none does. */
const findWordBeyond = (text: string): number => {
  words.lastIndex = 0
  for (let count = 0; count < maxWords; count++) if (!words.test(text)) return text.length
  return words.exec(text)?.index ?? text.length
}

/** Where a text that is too long for one passage may be cut: after the last space before the limit, or at the limit. */
const cutPoint = (text: string, from: number, limit: number): number => {
  const space = from + text.slice(from, limit + 1).lastIndexOf(' ')
  if (space > from + limit / 4 - from / 4) return space + 1
  // Not between the halves of a surrogate pair.
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

/** Where the sentence that begins at a place ends, with the spaces behind it. It has one character at least. */
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
    const endsParagraph = /\n\s*\n/.test(sentence)
    const count = sentence.length > maxCharacters ? undefined : countWords(sentence)
    if (count !== undefined && count <= maxWords) yield { ...whole, words: count, endsParagraph }
    else
      for (const part of cutSentence(text, whole))
        yield { ...part, words: countWords(text.slice(part.starts, part.ends)), endsParagraph }
  }
}

/** Leaves out the spaces at both ends of a passage. */
const trim = (text: string, { starts, ends }: Span): Span => {
  const passage = text.slice(starts, ends)
  const begin = starts + passage.length - passage.trimStart().length
  return { starts: begin, ends: Math.max(begin, starts + passage.trimEnd().length) }
}

/** Joins what one passage holds. */
function* joinPieces(text: string): Generator<Span> {
  let open: Piece | undefined
  for (const piece of splitPieces(text)) {
    const fits = open && open.words + piece.words <= maxWords && piece.ends - open.starts <= maxCharacters
    // A new paragraph begins a new passage where the one before is long enough to stand by itself.
    if (open && fits && !(open.endsParagraph && open.words > maxWords / 2))
      open = { ...piece, starts: open.starts, words: open.words + piece.words }
    else {
      if (open) yield open
      open = piece
    }
  }
  if (open) yield open
}

/** Splits a text into passages, which together hold all of its words. A text without any has one, which is empty. */
export function* splitText(text: string): Generator<Span> {
  const isShort = text.length <= maxCharacters && countWords(text) <= maxWords
  let isEmpty = true
  for (const span of isShort ? [{ starts: 0, ends: text.length }] : joinPieces(text)) {
    const { starts, ends } = trim(text, span)
    if (ends === starts && !isShort) continue
    isEmpty = false
    yield { starts, ends }
  }
  if (isEmpty) yield { starts: 0, ends: 0 }
}
