import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import type { Form, Question } from './question.ts'

// Checks that a text has the form of an answer: a default needs a value, "how many" a number, "when was" a date.

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
const isByDefault =
  /\b(?:is|are) (?:not )?(?:enabled|disabled|on|off|active|inactive|used|included|excluded) by default\b/i

const months = 'january|february|march|april|may|june|july|august|september|october|november|december'
const hours = 'noon|midnight|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d'
const parts = `spring|summer|autumn|winter|morning|afternoon|evening|${months}`

/** A day, a time of day or a part of the year. */
const date = new RegExp(
  [
    ...['\\b\\d{4}-\\d{2}-\\d{2}', '\\b(?:19|20)\\d{2}\\b', '\\b\\d{1,2}:\\d{2}\\b', `\\b(?:${months}) \\d`],
    ...[`\\bat (?:${hours})\\b`, `\\b(?:in|last|next|this) (?:the )?(?:${parts})\\b`],
    '\\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\\b',
  ].join('|'),
  'i',
)
const comparison =
  /\b(?:unlike|whereas|differences?|differs?|different|compared|instead of|rather than|than|in contrast)\b/i
const number =
  /(?<![\p{L}\p{N}])\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundred|thousand|once|twice|half|infinity|unlimited|no limit)\b/iu
/** Five words, or fewer that end as a sentence does: "Default: `5`" explains nothing. */
const sentence = /(?:\S+\s+){4}\S|^\p{Lu}\S*(?:\s+\S+)+[.!]$/u
const reason =
  /\b(?:because|due to|causes?|caused|reasons?|so that|in order to|therefore|as a result|to (?:avoid|prevent|ensure|protect|allow|reduce|keep))\b/i
const occasion = /\b(?:when|whenever|once|after|before|if|during|upon|while|until|as soon as|every time|triggered)\b/i

/** "default shape is `x`" is the default of a shape: each word between has to be one of the question. */
const isNamedDefault = (text: string, { terms }: Question): boolean => {
  const [, words = ''] = namedDefault.exec(text) ?? []
  const asked = new Set(terms.map(({ term }) => term))
  const named = [...tokenize(words)].filter(({ term }) => !stopTerms.has(term))
  return named.length > 0 && named.every(({ term }) => asked.has(term))
}

const hasDefault = (text: string, question: Question): boolean =>
  directDefault.test(text) || isNamedDefault(text, question) || valueByDefault.test(text) || isByDefault.test(text)

const fits = (form: Form, text: string, labels: string, question: Question): boolean => {
  switch (form) {
    case 'default':
      return hasDefault(text, question)
    case 'date':
      return date.test(text)
    case 'number':
      return number.test(text)
    case 'occasion':
      return occasion.test(text) || date.test(text) || occasion.test(labels)
    case 'explanation':
      return sentence.test(text) && !/^[^.!?]*[:：]$/.test(text)
    case 'person':
      return namesPerson(text, question)
    case 'comparison':
      return comparison.test(text)
    case 'count':
      return number.test(text) && tellsCount(question, text)
    case 'reason':
      return reason.test(text)
    case 'instructions':
    case 'any':
      return true
  }
}

const amount = '(?:\\d[\\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|no|infinite|unlimited)'
const amountOf = new RegExp(`(?<![\\p{L}\\p{N}_.-])${amount} ((?:[\\w-]+ ){0,2}[\\w-]+)`, 'giu')
const numberOf = /\bnumber of ((?:[\w-]+ ){0,2}[\w-]+)/gi

/** Checks whether a text gives the number of what is asked: "number of retries", or "five retries", of a question about retries. */
export const tellsCount = ({ terms }: Question, text: string): boolean => {
  const counted = [...text.matchAll(numberOf), ...text.matchAll(amountOf)].map(([, words = '']) => words)
  const named = new Set([...tokenize(counted.join(' '))].map(({ term }) => term))
  return terms.some(({ term, weight }) => weight >= 1 && named.has(term))
}

/** A word with a capital, with "by" in front of it where that stands there, and the word after it. */
const capital = /(\bby\s+)?(?<![\p{L}\p{N}])@?(\p{Lu}[\p{L}\p{N}-]+)(?=\s*([\p{L}\p{N}]*))/gu

/** Checks whether a text has a name that does what is asked: "Ada leads", or "is led by Ada", of a question who leads. */
const namesPerson = (text: string, { terms }: Question): boolean => {
  const asked = new Set(terms.map(({ term }) => term))
  const isAsked = (word: string) => [...tokenize(word)].some(({ term }) => asked.has(term))
  return [...text.matchAll(capital)].some(([, by, name = '', next = '']) => {
    const isPlain = [...tokenize(name)].every(({ term }) => stopTerms.has(term))
    return !isPlain && !isAsked(name) && (by !== undefined || isAsked(next))
  })
}

/** Checks whether a text, below labels such as the titles of its columns, has every form that a question asks for. */
export const fitsForms = (question: Question, text: string, labels: string): boolean =>
  [...question.forms].every((form) => fits(form, text, labels, question))
