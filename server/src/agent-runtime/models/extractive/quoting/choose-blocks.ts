import type { Quote } from '../choose-quotes.ts'
import { splitSentences, splitStatements } from '../sentences.ts'
import { fitsForms } from './answer-form.ts'
import { type Candidate, hasTerm, toPart } from './candidates.ts'
import type { Question, Term } from './question.ts'
import type { RankedBlock } from './rank-blocks.ts'

// Makes quotes of the best blocks: a sentence that says it all, else the block, with the list or code that it announces.

const maxQuoteLength = 900
const maxCodeLength = 700
const maxItems = 8

/** A second block is quoted if it is of another item, is named by an identifier of the question and is nearly as good. */
const minSecondNaming = 0.5
const maxSecondLoss = 0.12

/** The difference in score below which two blocks are equally good. */
const even = 0.03

const join = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const listOwn = (candidate: Candidate, { terms }: Question): Term[] =>
  terms.filter((term) => term.weight >= 1 && hasTerm(candidate.own, term))

/** The first statement that has all that the block has of the question. */
const findSentence = (candidate: Candidate, question: Question): string | undefined => {
  const { block, above } = candidate
  if (block.kind === 'row' || question.forms.has('explanation')) return undefined
  const statements = [...splitStatements(join(block.text))]
  // The block has the forms and all words that it has.
  if (statements.length === 1) return statements[0]
  const own = listOwn(candidate, question)
  return statements.find((sentence) => {
    const part = toPart(sentence)
    return own.every((term) => hasTerm(part, term)) && fitsForms(question, sentence, above.text)
  })
}

/** As many sentences as fit, from the first that has a word of the question. */
const cutBlock = (candidate: Candidate, question: Question): string => {
  const text = join(candidate.block.text)
  if (text.length <= maxQuoteLength) return text
  const own = listOwn(candidate, question)
  const sentences = [...splitSentences(text)]
  const first = sentences.findIndex((sentence) => {
    const part = toPart(sentence)
    return own.some((term) => hasTerm(part, term))
  })
  let quote = ''
  for (const sentence of sentences.slice(Math.max(0, first))) {
    if (quote.length + sentence.length >= maxQuoteLength) break
    quote = quote === '' ? sentence : `${quote} ${sentence}`
  }
  return quote === '' ? text.slice(0, maxQuoteLength).toWellFormed() : quote
}

/** The lines that a block announces by a colon: the items of its list, or its code. */
const listAnnounced = ({ block, from }: Candidate, candidates: readonly Candidate[], index: number): string[] => {
  if (!/[:：]$/.test(block.text)) return []
  if (block.code !== undefined)
    return block.code.length <= maxCodeLength ? block.code.split('\n').map((line) => `    ${line}`) : []
  const rest = candidates.slice(index + 1, index + 1 + maxItems)
  const end = rest.findIndex((one) => one.from !== from || one.block.kind !== 'item')
  return rest.slice(0, end === -1 ? maxItems : end).map((one) => `- ${join(one.block.text)}`)
}

/** The label that a quote needs to be understood: the heading with words of the question, or the titles of its columns. */
const findLabel = (candidate: Candidate, question: Question, text: string): string | undefined => {
  const { block, heading } = candidate
  if (block.kind === 'row') return block.above.join(' | ')
  const above = question.terms.filter((term) => term.weight >= 1 && hasTerm(heading, term))
  if (above.length === 0) return undefined
  const part = toPart(text)
  return above.every((term) => hasTerm(part, term)) ? undefined : block.headings.at(-1)
}

const toQuote = (candidate: Candidate, candidates: readonly Candidate[], question: Question): Quote => {
  const announced = listAnnounced(candidate, candidates, candidates.indexOf(candidate))
  const text = (announced.length === 0 ? findSentence(candidate, question) : undefined) ?? cutBlock(candidate, question)
  const label = findLabel(candidate, question, text)
  const whole = [text, ...announced].join('\n')
  return { text: whole, from: candidate.from, ...(label === undefined ? {} : { label }) }
}

/** Checks whether another block says something else just as well and the question names neither: each would be a guess. */
const isGuess = (best: RankedBlock, ranked: readonly RankedBlock[], { forms }: Question): boolean =>
  (forms.has('default') || forms.has('number') || forms.has('count')) &&
  best.naming === 0 &&
  ranked.some(
    ({ candidate, score }) =>
      best.score - score < even && join(candidate.block.text) !== join(best.candidate.block.text),
  )

/** The quotes that answer a question; none where nothing does, or where it would be a guess. */
export const chooseBlocks = (
  ranked: readonly RankedBlock[],
  candidates: readonly Candidate[],
  question: Question,
): Quote[] => {
  const [best, ...others] = ranked
  if (!best || isGuess(best, others, question)) return []
  const isExact = question.terms.some(({ isIdentifier }) => isIdentifier)
  const second = others.find(
    ({ candidate, naming, score }) =>
      isExact &&
      candidate.from !== best.candidate.from &&
      naming >= minSecondNaming &&
      best.score - score <= maxSecondLoss,
  )
  return [best, ...(second ? [second] : [])].map(({ candidate }) => toQuote(candidate, candidates, question))
}
