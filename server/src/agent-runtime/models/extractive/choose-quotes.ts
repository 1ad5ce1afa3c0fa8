import { countQueryTerms, tokenize } from '../../../features/retrieval/terms/terms.ts'
import type { Found } from './read-found.ts'
import { splitSentences } from './sentences.ts'

// Which sentences answer a question best: by the share of its rare words that they have, those of the title above them
// counting half. A judgement of words alone, and the same for the same texts.

/** A quote, and the item that it is from. `label`: the heading or the titles of columns that it needs to be understood. */
export type Quote = { text: string; from: Found; label?: string }

/** A sentence that may be quoted, and the terms in it and in the title above it. */
export type Sentence = Quote & { terms: ReadonlySet<string>; above: ReadonlySet<string> }

export const maxQuotes = 4
const maxQuotesOfItem = 2
/** A sentence is left out that scores less than this share of the best. */
const minShare = 0.6
const aboveShare = 0.5
/** The share of its score that a question in a text keeps, and the share that the sentence after it gets. */
const questionShare = 0.5
const followerShare = 0.5
/** The weight of words of earlier messages, next to those of the question. */
const earlierShare = 0.25

/** At most this many sentences are examined. */
const maxSentences = 2_000

const toTerms = (text: string): Set<string> => {
  const terms = new Set<string>()
  for (const { term } of tokenize(text)) terms.add(term)
  return terms
}

/** The sentences of what was found, the best item's first. */
export const listSentences = (found: readonly Found[]): Sentence[] => {
  const sentences: Sentence[] = []
  for (const from of found) {
    const above = toTerms(from.title)
    for (const text of splitSentences(from.text)) {
      if (sentences.length === maxSentences) return sentences
      if (text !== '' && text !== '[…]' && text !== '[cut]') sentences.push({ text, from, terms: toTerms(text), above })
    }
  }
  return sentences
}

/** The weight of each term of a question: the rarer among the sentences, the more. */
const weighTerms = (sentences: readonly Sentence[], question: string, earlier: string): Map<string, number> => {
  const weights = new Map<string, number>()
  const asked = new Set(countQueryTerms(question).keys())
  for (const term of [...asked, ...countQueryTerms(earlier).keys()]) {
    const count = sentences.filter(({ terms, above }) => terms.has(term) || above.has(term)).length
    if (count === 0 || weights.has(term)) continue
    weights.set(term, Math.log((sentences.length + 0.5) / count) * (asked.has(term) ? 1 : earlierShare))
  }
  return weights
}

const isQuestion = (text: string): boolean => /[?？]["'”’)\]]{0,3}$/.test(text)

/** Scores each sentence by how well it answers, from 0 to 1. */
const scoreSentences = (sentences: readonly Sentence[], weights: ReadonlyMap<string, number>): number[] => {
  const total = Math.max(
    Number.MIN_VALUE,
    [...weights.values()].reduce((sum, weight) => sum + weight, 0),
  )
  const own = sentences.map(({ terms, above }) => {
    let sum = 0
    for (const [term, weight] of weights) sum += terms.has(term) ? weight : above.has(term) ? weight * aboveShare : 0
    return sum / total
  })
  return sentences.map((sentence, index) => {
    const before = sentences[index - 1]
    const fromQuestion =
      before?.from === sentence.from && isQuestion(before.text) ? (own[index - 1] ?? 0) * followerShare : 0
    return isQuestion(sentence.text) ? (own[index] ?? 0) * questionShare : Math.min(1, (own[index] ?? 0) + fromQuestion)
  })
}

/** Sentences with their scores, the best first; of equal ones that of the better item. */
export const rankSentences = (
  sentences: readonly Sentence[],
  { question, earlier }: { question: string; earlier: string },
): { sentence: Sentence; score: number }[] => {
  const scores = scoreSentences(sentences, weighTerms(sentences, question, earlier))
  return sentences.map((sentence, index) => ({ sentence, score: scores[index] ?? 0 })).sort((a, b) => b.score - a.score)
}

/** True for a line of prose in a record, such as a symptom or a resolution; false for a bare value. */
const isProse = (text: string): boolean => /^[^:]{1,60}: (?:\S+\s+){3}\S/.test(text)

/** The quotes of a sentence: from a record that says it in prose, all of its prose, as its fields explain each other. */
const listWith = (ranked: readonly { sentence: Sentence }[], { text, from }: Sentence): Quote[] => {
  if (from.type !== 'record' || !isProse(text)) return [{ text, from }]
  const reported = new Set(ranked.flatMap(({ sentence }) => (sentence.from === from ? [sentence.text] : [])))
  const lines = from.text.split('\n').filter((line) => reported.has(line) && isProse(line))
  return [...new Set([text, ...lines])].map((line) => ({ text: line, from }))
}

/** The best few sentences. A passage found only by its meaning is quoted by its first sentence. */
export const chooseQuotes = (ranked: readonly { sentence: Sentence; score: number }[]): Quote[] => {
  const best = ranked[0]
  if (!best) return []
  const quotes = new Map(listWith(ranked, best.sentence).map((quote) => [quote.text, quote]))
  const counts = new Map([[best.sentence.from, quotes.size]])
  for (const { sentence, score } of ranked) {
    const { text, from } = sentence
    const count = counts.get(from) ?? 0
    if (quotes.size >= maxQuotes || score < best.score * minShare || score === 0) break
    if (quotes.has(text) || count >= maxQuotesOfItem) continue
    quotes.set(text, { text, from })
    counts.set(from, count + 1)
  }
  return [...quotes.values()].slice(0, maxQuotes)
}
