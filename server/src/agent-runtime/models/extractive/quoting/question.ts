import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'

// Reads a question: its terms, the identifiers that an answer has to name, and the form that an answer has.

/** The form of an answer, which it needs in addition to the words of the question. */
export type Form =
  | 'default'
  | 'explanation'
  | 'reason'
  | 'person'
  | 'place'
  | 'comparison'
  | 'date'
  | 'occasion'
  | 'count'
  | 'number'
  | 'instructions'
  | 'any'

/**
 * A word of a question. An identifier, such as `bodyLimit`, is compared as it is written. The weight of a subject of the question is
 * at least 1, that of a word for asking less.
 */
export type Term = { term: string; isIdentifier: boolean; weight: number }

export type Question = {
  forms: ReadonlySet<Form>
  /** The terms in their order, each once. */
  terms: readonly Term[]
  /** The terms of what has the default that is asked for, or of all that is asked. */
  topic: readonly Term[]
}

/** Words that say how something is asked. An answer seldom repeats them. */
const askingWords = `mean means do does use used using happen happens happened many much long often example examples explain
  describe tell way ways value values possible exactly actually please`

const toTerms = (words: string): Set<string> => new Set([...tokenize(words)].map(({ term }) => term))
const askingTerms = toTerms(askingWords)
const askingWeight = 0.15

/** Words as programs write them: with an underscore, a capital or a dot inside, a digit next to letters, or parentheses. */
const identifiers = /[\p{L}\p{N}_$@][\p{L}\p{N}_$@./:-]*(?:\(\))?/gu
const isIdentifier = (word: string): boolean =>
  /\(\)$|[\p{L}\p{N}]_[\p{L}\p{N}]|\p{Ll}\p{Lu}|[\p{L}\p{N}]\.[\p{L}\p{N}]|\p{L}[\p{L}-]*\d|\d-?\p{L}/u.test(word)

const cleanIdentifier = (word: string): string =>
  word
    .replace(/\(\)$/, '')
    .replace(/[.:/-]+$/, '')
    .toLowerCase()

const formPatterns: readonly [Form, RegExp][] = [
  ['default', /\bdefaults?\b/i],
  [
    'explanation',
    /^what(?:['’]s| is| are| does| do) (?!the\b)(?:(?!\b(?:of|for|in|to|when|if|\w+ed)\b)[^?]){1,50}\??$|^how (?:is|are|does|do) (?!i\b|we\b|you\b)/i,
  ],
  ['person', /^who\b/i],
  ['place', /^where (?:is|are|was|were)\b/i],
  ['comparison', /\b(?:differences?|compared?|versus|vs|better|best|faster|fastest|slower|pros and cons)\b/i],
  ['reason', /^why\b|\bwhat is the reason\b/i],
  ['date', /^when (?:was|were|did)\b|\b(?:which|what) (?:day|date|year)\b|^since when\b/i],
  ['occasion', /^when (?:is|are|does|do|should|will|can)\b/i],
  ['count', /\bhow many\b/i],
  ['number', /\bhow (?:much|long|often|big|large|old|far|fast|quickly|soon)\b/i],
  ['instructions', /\bhow (?:do|does|can|could|should|to|would)\b/i],
]

const readForms = (text: string): Set<Form> => {
  const forms = formPatterns.flatMap(([form, pattern]) => (pattern.test(text) ? [form] : []))
  return new Set(forms.length > 0 ? forms : ['any'])
}

/** These words only say that the answer is a number. */
const quantity = /\bhow (?:many times|many|long|often|much|fast|quickly|soon)\b/i
const howItWorks = /(?<=^how do(?:es)? .{1,200}) works?$/i
const maxTerms = 24

const findAsked = (text: string): string => {
  const end = text.lastIndexOf('?')
  if (end === -1) return text.trim()
  const before = text.slice(0, end)
  const start = Math.max(...['. ', '! ', '? ', '\n'].map((mark) => before.lastIndexOf(mark)))
  return before.slice(start + 1).trim()
}

/** Reads a question. Its last sentence that asks is the question; the whole text where none does. */
export const readQuestion = (text: string): Question => {
  const asked = findAsked(text)
  const terms = new Map<string, Term>()
  const rest = asked
    .replace(quantity, ' ')
    .replace(howItWorks, '')
    .replaceAll(identifiers, (word) => {
      if (!isIdentifier(word)) return word
      const term = cleanIdentifier(word)
      terms.set(term, { term, isIdentifier: true, weight: 1.5 })
      return ' '
    })
  for (const { term } of tokenize(rest))
    if (!stopTerms.has(term) && terms.size < maxTerms)
      terms.set(term, { term, isIdentifier: false, weight: askingTerms.has(term) ? askingWeight : 1 })
  const all = [...terms.values()]
  const topic = all.filter(({ term, weight }) => weight >= 1 && term !== 'default')
  return { forms: readForms(asked), terms: all, topic }
}

const isWordSign = /[\p{L}\p{N}_]/u

/** Checks whether a text in lower case has an identifier, or the last part of one with dots as a member. */
export const hasIdentifier = (text: string, identifier: string): boolean => {
  for (let at = text.indexOf(identifier); at !== -1; at = text.indexOf(identifier, at + 1)) {
    const [before = '', after = ''] = [text.charAt(at - 1), text.charAt(at + identifier.length)]
    if (!isWordSign.test(before) && !isWordSign.test(after)) return true
  }
  const dot = identifier.lastIndexOf('.')
  const member = identifier.slice(dot + 1)
  return dot > 0 && /^\p{L}/u.test(member) && hasIdentifier(text, member) && text.includes(`.${member}`)
}
