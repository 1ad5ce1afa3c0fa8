import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import { hasTerm, toPart } from './candidates.ts'
import { findDefault } from './defaults.ts'
import type { Form, Question } from './question.ts'

// Checks that a text has the form of an answer: a default needs a value, "how many" a number, "when was" a date.

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
const dates = new RegExp(date, 'gi')
const comparison =
  /\b(?:unlike|whereas|differences?|differs?|different|compared|instead of|rather than|than|in contrast)\b/i
const number =
  /(?<![\p{L}\p{N}])\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|once|twice|half|infinity|unlimited|no limit)\b/iu
/** Five words, or fewer that end as a sentence does: "Default: `5`" explains nothing. */
const sentence = /(?:\S+\s+){4}\S|^\p{Lu}\S*(?:\s+\S+)+[.!]$/u
const reason =
  /\b(?:because|due to|causes?|caused|reasons?|so that|in order to|therefore|as a result|to (?:avoid|prevent|ensure|protect|allow|reduce|keep))\b/i
const occasion = /\b(?:when|whenever|once|after|before|if|during|upon|while|until|as soon as|every time|triggered)\b/i

const fits = (form: Form, text: string, labels: string, question: Question): boolean => {
  switch (form) {
    case 'default':
      // A table of options may have a column of defaults.
      return findDefault(text, question) !== undefined || /\bdefault/i.test(labels)
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
    case 'place':
      return namesPlace(text, question)
    case 'comparison':
      return comparison.test(text)
    case 'count':
      return number.test(text) && mentionsCount(question, text)
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
export const mentionsCount = ({ terms }: Question, text: string): boolean => {
  const counted = [...text.matchAll(numberOf), ...text.matchAll(amountOf)].map(([, words = '']) => words)
  const named = new Set([...tokenize(counted.join(' '))].map(({ term }) => term))
  return terms.some(({ term, weight }) => weight >= 1 && named.has(term))
}

/** A capitalized word, with a "by" in front of it, and the word after it. */
const capital = /(\bby\s+)?(?<![\p{L}\p{N}])@?(\p{Lu}[\p{L}\p{N}-]+)(?=\s*(\p{Ll}[\p{L}\p{N}]*)?)/dgu

/** The word that a name is given to: "manager" in front of the name in "Its manager is Ada". */
const named = /(\p{L}[\p{L}\p{N}-]*)\s+(?:is|was|are|were)\s+(?:called\s+|named\s+)?$/du
const maxNamed = 80

/**
 * Checks whether a text has a name that does or is what is asked: "Ada leads", "is led by Ada" or "The leader is Ada", of a question
 * who leads.
 */
const namesPerson = (text: string, { terms }: Question): boolean => {
  const asked = new Set(terms.map(({ term }) => term))
  const tokens = [...tokenize(text)]
  let passed = 0
  /** The terms of a stretch of the text, which begins near the stretch before. */
  const listTerms = ([from, to]: readonly [number, number] = [0, 0]): string[] => {
    while (passed > 0 && (tokens[passed - 1]?.ends ?? 0) > from) passed--
    while ((tokens[passed]?.ends ?? text.length) <= from && passed < tokens.length) passed++
    const terms: string[] = []
    for (let at = passed; (tokens[at]?.starts ?? to) < to; at++) terms.push(tokens[at]?.term ?? '')
    return terms
  }
  return [...text.matchAll(capital)].some(({ 1: by, indices }) => {
    const name = listTerms(indices?.[2])
    const isPlain = name.every((term) => stopTerms.has(term))
    const isSubject = name.some((term) => asked.has(term))
    if (isPlain || isSubject) return false
    if (by !== undefined || listTerms(indices?.[3]).some((term) => asked.has(term))) return true
    const [start = 0] = indices?.[2] ?? []
    const from = Math.max(0, start - maxNamed)
    const [role = [0, 0]] = named.exec(text.slice(from, start))?.indices?.slice(1) ?? []
    return listTerms([from + role[0], from + role[1]]).some((term) => asked.has(term))
  })
}

const place =
  /\b(?:in|at|on|near|next to|behind|under|inside|outside|above|below|between|opposite|beside|along)\s+(?:the\s+|an?\s+)?[\p{L}\p{N}/`]/giu
/** The place of something follows it within so many characters. */
const maxBeforePlace = 40

/** Checks whether a name follows a number: "at 5 Quay Street" is no time. */
const isStreet = (text: string, at: number): boolean => /^\d*\s\p{Lu}/u.test(text.slice(at, at + 10))

/**
 * Checks whether a text says where the one subject of a question is: "The warehouse in Lyon", and not "The warehouse opens in the
 * morning". Further words, as in "Where is the log stored?", say by themselves that a text is about a place.
 */
const namesPlace = (text: string, { terms }: Question): boolean => {
  const main = terms.filter(({ weight }) => weight >= 1)
  const [subject] = main
  if (subject === undefined || main.length > 1) return true
  const undated = text.replaceAll(dates, (time, at) => (isStreet(text, at + time.length) ? time : ';'))
  return [...undated.matchAll(place)].some(({ index }) => {
    const [before = ''] = /[^.!?;]*$/.exec(undated.slice(Math.max(0, index - maxBeforePlace), index)) ?? []
    return hasTerm(toPart(before), subject)
  })
}

/** Checks whether a text, below labels such as the titles of its columns, has every form that a question asks for. */
export const fitsForms = (question: Question, text: string, labels: string): boolean =>
  [...question.forms].every((form) => fits(form, text, labels, question))
