import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import type { Question } from './question.ts'

// Finds the value of a default in a text: "Default: `5`", "defaults to 5", "the default user agent is `x`", "is off by default".

const value = '(?:\\(|\\[)?(?:[`\'"]|-?\\d|true\\b|false\\b|null\\b|undefined\\b|none\\b|infinity\\b|no\\b|[A-Z]{2,})'
/** "Default: `5`", "defaults to 5" or "(default `5`)". In "the default `retry` strategy", `retry` is a name. */
const directDefault = new RegExp(
  `\\b[Dd]efault(?:s|ed|ing)?\\b(?: values?)?(?:\\W{0,4}(?:is|are|to|of|set to)\\b|\\W{0,4}[:=])[\\s*_]*${value}|\\b[Dd]efaults? (?:\`[^\`\\n]{1,60}\`|-?\\d\\w*)(?=[).,;|]|$)`,
)
const namedDefault = new RegExp(
  `\\b[Dd]efault ((?:[\\w-]{1,30} ){1,6}?)(?:of [\\w ]{1,40})?(?:is|are|to|=|:)\\W{0,3}${value}`,
)
const valueByDefault = new RegExp(
  `${value}[^.]{0,40} by default\\b|\\b[Bb]y default,? [^.]{0,80}(?:is|are|to) (?:${value}|(?:en|dis)abled|on\\b|off\\b|(?:in)?active)`,
)
const isByDefault = /\b(?:is|are) (?:not )?(?:\w+ed|on|off|active|inactive) by default\b/i

/** Finds "default shape is `x`", which is the default of a shape: each word between has to be one of the question. */
const findNamed = (text: string, { terms }: Question): RegExpExecArray | undefined => {
  const match = namedDefault.exec(text)
  const [, words = ''] = match ?? []
  const asked = new Set(terms.map(({ term }) => term))
  const named = [...tokenize(words)].filter(({ term }) => !stopTerms.has(term))
  return match && named.length > 0 && named.every(({ term }) => asked.has(term)) ? match : undefined
}

/** The beginning of a text up to the value of a default; undefined if it has none. */
export const findDefault = (text: string, question: Question): string | undefined => {
  const match =
    directDefault.exec(text) ?? findNamed(text, question) ?? valueByDefault.exec(text) ?? isByDefault.exec(text)
  return match ? text.slice(0, match.index + match[0].length) : undefined
}
