// Texts as the sentences that may be quoted. Bounded: the work grows with the length of a text and nothing else.

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Words with a point that do not end a sentence. */
const abbreviation =
  /(?:^|[\s(„“"])(?:Mr|Mrs|Ms|Dr|Prof|St|Fr|Hr|Nr|No|vs|approx|ca|bzw|z\. ?B|e\.g|i\.e|\p{Lu})\.\s+$/u
const ordinal = /(?:^|\s)\d{1,2}\.\s+$/
const germanMonth = /^(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b/

/** The end of a sentence: a space, except in scripts without spaces. Addresses and the like have points and marks within. */
const end = /(?:\s|[。！？][」』”’）)]?)$/u

const goesOn = (before: string, next: string): boolean =>
  !end.test(before.slice(-2)) ||
  abbreviation.test(before.slice(-12)) ||
  (ordinal.test(before.slice(-6)) && germanMonth.test(next))

/** Characters of one quote, at most: longer sentences are cut between words. */
const maxSentenceLength = 600

function* cut(sentence: string): Generator<string> {
  for (let rest = sentence; rest !== ''; ) {
    if (rest.length <= maxSentenceLength) return yield rest
    const space = rest.lastIndexOf(' ', maxSentenceLength)
    const half = /[\udc00-\udfff]/.test(rest[maxSentenceLength] ?? '') ? maxSentenceLength - 1 : maxSentenceLength
    const to = space > maxSentenceLength / 2 ? space : half
    yield rest.slice(0, to)
    rest = rest.slice(to).trimStart()
  }
}

/** A sentence of one line of a text: no quote runs over the end of a line, as turns of a conversation and fields end there. */
export function* splitSentences(text: string): Generator<string> {
  for (const line of text.split(/[\n\r\u2028\u2029]+/)) {
    let open = ''
    for (const { segment } of segmenter.segment(line)) {
      if (open !== '' && !(goesOn(open, segment) && open.length < maxSentenceLength)) {
        yield* cut(open.trim())
        open = ''
      }
      open += segment
    }
    yield* cut(open.trim())
  }
}

const pronoun = /^(?:it|its|he|his|she|her|they|their)\b/i

/** Sentences; one that begins with a pronoun comes with the sentence before it: "Lyon opens at six. Its manager is Ada." */
export function* splitStatements(text: string): Generator<string> {
  let before = ''
  for (const sentence of splitSentences(text)) {
    yield before !== '' && pronoun.test(sentence) ? `${before} ${sentence}` : sentence
    before = sentence
  }
}
