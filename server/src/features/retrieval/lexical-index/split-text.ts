// Long texts are searched by stretches of some 200 words: about what an embedding model takes in, and short enough to be
// read as an answer. Stretches end where paragraphs do, else where sentences do, else between words.

/** A stretch of a text, in UTF-16 code units. */
export type Stretch = { starts: number; ends: number }

/** Words in a stretch at most. Where no spaces are written, each character counts as one. */
const mostWords = 200
/** Characters in a stretch at most, however few words they make. */
const mostCharacters = 2_000

// Every part that repeats is bounded, so that no text makes the search for an end long.
const sentences = /[\s\S]+?(?:\n\s{0,20}|[.!?]["'”’)\]]{0,3}\s|[。！？]|$)/gu
const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])+/gu

type Piece = Stretch & { words: number; endsParagraph: boolean }

const countWords = (text: string): number => {
  let count = 0
  for (const _word of text.matchAll(words)) count++
  return count
}

/** Where a text that is too long for one stretch may be cut: after the last space before the limit, or at the limit. */
const cutPoint = (text: string, from: number, limit: number): number => {
  const space = text.lastIndexOf(' ', limit)
  if (space > from + limit / 4 - from / 4) return space + 1
  // Not between the halves of a surrogate pair.
  return /[\udc00-\udfff]/.test(text[limit] ?? '') ? limit - 1 : limit
}

/** Cuts a sentence that is longer than a stretch may be. */
function* cutSentence(text: string, { starts, ends }: Stretch): Generator<Stretch> {
  let from = starts
  while (from < ends) {
    let limit = Math.min(ends, from + mostCharacters)
    const part = text.slice(from, limit)
    let counted = 0
    for (const { index } of part.matchAll(words))
      if (++counted > mostWords) {
        limit = from + index
        break
      }
    const to = limit === ends ? ends : Math.max(from + 1, cutPoint(text, from, limit))
    yield { starts: from, ends: to }
    from = to
  }
}

function* piecesOf(text: string): Generator<Piece> {
  for (const { 0: sentence, index } of text.matchAll(sentences)) {
    if (sentence === '') continue
    const whole = { starts: index, ends: index + sentence.length }
    const endsParagraph = /\n\s*\n/.test(sentence)
    const count = countWords(sentence)
    if (count <= mostWords && sentence.length <= mostCharacters) yield { ...whole, words: count, endsParagraph }
    else
      for (const part of cutSentence(text, whole))
        yield { ...part, words: countWords(text.slice(part.starts, part.ends)), endsParagraph }
  }
}

/** Leaves out the spaces at both ends of a stretch. */
const trim = (text: string, { starts, ends }: Stretch): Stretch => {
  const stretch = text.slice(starts, ends)
  const begin = starts + stretch.length - stretch.trimStart().length
  return { starts: begin, ends: Math.max(begin, starts + stretch.trimEnd().length) }
}

/** Cuts a text into stretches, which together hold all of its words. A text without any has one, which is empty. */
export const cutText = (text: string): Stretch[] => {
  if (text.length <= mostCharacters && countWords(text) <= mostWords)
    return [trim(text, { starts: 0, ends: text.length })]
  const stretches: Stretch[] = []
  let open: Piece | undefined
  for (const piece of piecesOf(text)) {
    const fits = open && open.words + piece.words <= mostWords && piece.ends - open.starts <= mostCharacters
    // A new paragraph begins a new stretch where the one before is long enough to stand by itself.
    if (open && fits && !(open.endsParagraph && open.words > mostWords / 2))
      open = { ...piece, starts: open.starts, words: open.words + piece.words }
    else {
      if (open) stretches.push(trim(text, open))
      open = piece
    }
  }
  if (open) stretches.push(trim(text, open))
  const filled = stretches.filter(({ starts, ends }) => ends > starts)
  return filled.length > 0 ? filled : [{ starts: 0, ends: 0 }]
}
