import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import { type Candidate, hasTerm, type Part, toPart } from './candidates.ts'
import type { Question, Term } from './question.ts'

// The subject of a block: its own name, as an option in a list has one, and the heading above it.

const parenthesized = /\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\}/g

/** The share of a heading or a name that is asked for: "`bodyLimit`" of a question about bodyLimit is all, "Notes" nothing. */
const measureNaming = (part: Part, topic: readonly Term[]): number => {
  const named = topic.filter((term) => hasTerm(part, term))
  if (named.length === 0) return 0
  const known = new Set(
    named.flatMap(({ term, isIdentifier }) => (isIdentifier ? [...tokenize(term)].map((one) => one.term) : [term])),
  )
  const others = [...part.terms].filter((term) => !stopTerms.has(term) && !known.has(term))
  const share = named.length / Math.max(1, topic.length)
  return others.length === 0 ? (1 + share) / 2 : share / (1 + others.length / 2)
}

const maxNameLength = 60

/** The beginning of a block as its name: "`bodyLimit`" of "`bodyLimit`: the maximum …", or the first cell of a row. */
const findName = ({ block: { kind, text } }: Candidate): string => {
  const [name = ''] = (kind === 'row' ? /^[^|]*/ : /^(?:(?! [-–—] )[^:.])*/).exec(text) ?? []
  return name.slice(0, maxNameLength)
}

export type Naming = { heading: number; own: number }

const findHeading = ({ block, heading: part }: Candidate, topic: readonly Term[]): number => {
  const heading = block.headings.at(-1)
  if (heading === undefined) return 0
  const plain = heading.replaceAll(parenthesized, ' ')
  return measureNaming(plain === heading ? part : toPart(plain), topic)
}

/** Measures how far the heading of a block and its own name are the subject of a question, from 0 to 1. */
export const findNaming = (candidate: Candidate, { topic }: Question): Naming => ({
  heading: findHeading(candidate, topic),
  own: measureNaming(toPart(findName(candidate).replaceAll(parenthesized, ' ')), topic),
})

const opening = /^\W*(?:(?:the|an?|this)\s+)?\W*/i

/** The text after a name that is explained. */
const explained =
  /^[^.]{0,40}?(?:[:|({—–]| - |\b(?:is|are|was|can|does|means?|allows?|provides?|lets?|enables?|returns?|creates?|controls?|sets?|defines?|specif(?:y|ies)|represents?|describes?|handles?|performs?|customizes?|generates?|gives?|makes?|reads?|writes?|adds?|removes?|prevents?|stops?|starts?|runs?|calls?|converts?|contains?|holds?|stores?)\b)/

/** Checks whether a block begins with a term of a question and says what it is or does, as "A `MockAgent` is …" does. */
export const beginsWith = ({ block }: Candidate, { terms }: Question): boolean => {
  const start = block.text
    .slice(0, maxNameLength * 2)
    .toLowerCase()
    .replace(opening, '')
  const [first] = tokenize(start)
  return terms.some(({ term, weight, isIdentifier }) => {
    if (weight < 1) return false
    const member = term.slice(term.lastIndexOf('.') + 1)
    const name = isIdentifier ? [term, member].find((one) => start.startsWith(one)) : first?.term === term && first.term
    return typeof name === 'string' && explained.test(start.slice(isIdentifier ? name.length : (first?.ends ?? 0)))
  })
}
