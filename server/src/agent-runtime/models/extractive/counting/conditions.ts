import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import { toWords } from '../find-value.ts'
import type { Pause } from '../quoting/pacing.ts'

// Which records a question counts: "How many orders of Alder Foods are late?" names a kind and values of its fields. Every word
// has to be understood: a condition that is left out would make a wrong count.

export type Fields = Readonly<Record<string, unknown>>
export type Condition = { field: string; value: string | number | boolean }

const tokens = (text: string): string[] => [...tokenize(text)].map(({ term }) => term)

const asked = /\bhow many ([^?\n]{1,300})/i

/** These words ask for more than equal values: comparisons, negations, alternatives, times, and counts of values. */
const beyond =
  /n['’]t\b|\b(?:not|no|without|except|never|neither|nor|or|more|less|fewer|greater|over|under|above|below|before|after|since|until|between|least|most|than|per|each|average|different|distinct|unique|last|next|this|today|yesterday|tomorrow|day|week|month|year|ago|times?)\b/i

/** Words that add nothing: "How many orders are there in total?". */
const idle = new Set(
  tokens(
    'there exist exists total altogether overall do does have has had are is were was we know known stored go goes going come comes belong record records',
  ),
)

/** The words after "how many"; undefined where a question does not count, or not by equal values alone. */
export const readCount = (question: string): string | undefined => {
  const words = asked.exec(question)?.[1]
  return words === undefined || beyond.test(words) ? undefined : words
}

/** The words of a kind in front of a verb: "late orders" of "late orders are there". */
const maxNounTerms = 4

/** The kind that is counted: its words are among the first of the question. */
export const findKind = (words: string, kinds: readonly string[]): string | undefined => {
  const noun = tokens(words).slice(0, maxNounTerms)
  const named = kinds
    .map((kind) => ({ kind, terms: tokens(toWords(kind)) }))
    .filter(({ terms }) => terms.length > 0 && terms.every((term) => noun.includes(term)))
  return named.sort((a, b) => b.terms.length - a.terms.length)[0]?.kind
}

/** A longer text is no value by which one counts. */
const maxValueLength = 100

/** Returns the position of a sequence of terms in another; -1 if it is not there. */
const findSequence = (all: readonly string[], part: readonly string[]): number =>
  all.findIndex((_term, at) => part.every((term, index) => all[at + index] === term))

type Named = Condition & { at: number; length: number }

/** The values of fields in the question, each once. */
const listNamed = async (question: readonly string[], records: readonly Fields[], pause: Pause): Promise<Named[]> => {
  const named: Named[] = []
  const seen = new Map<string, Set<unknown>>()
  for (const fields of records) {
    for (const [field, value] of Object.entries(fields)) {
      if ((typeof value !== 'string' || value.length > maxValueLength) && typeof value !== 'number') continue
      const known = seen.get(field) ?? new Set()
      if (known.has(value)) continue
      seen.set(field, known.add(value))
      const terms = tokens(String(value))
      const at = terms.length === 0 ? -1 : findSequence(question, terms)
      if (at !== -1) named.push({ field, value, at, length: terms.length })
    }
    await pause()
  }
  return named
}

const listFlags = (question: readonly string[], records: readonly Fields[]): Named[] => {
  const flags = new Set(
    records.flatMap((fields) =>
      Object.entries(fields).flatMap(([name, value]) => (typeof value === 'boolean' ? name : [])),
    ),
  )
  return [...flags].flatMap((field) => {
    const terms = tokens(toWords(field)).filter((term) => !stopTerms.has(term))
    const at = terms.length === 0 ? -1 : findSequence(question, terms)
    return at === -1 ? [] : [{ field, value: true, at, length: terms.length }]
  })
}

const overlaps = (a: Named, b: Named): boolean => a.at < b.at + b.length && b.at < a.at + a.length

/** The conditions of a count; undefined where no field explains a word, or two do. */
export const findConditions = async (
  words: string,
  { kind, records, pause }: { kind: string; records: readonly Fields[]; pause: Pause },
): Promise<Condition[] | undefined> => {
  const question = tokens(words)
  const named = [...(await listNamed(question, records, pause)), ...listFlags(question, records)].sort(
    (a, b) => b.length - a.length,
  )
  const kept: Named[] = []
  for (const one of named) {
    const rivals = kept.filter((other) => overlaps(one, other))
    if (rivals.length === 0) kept.push(one)
    // The same words as a value of two fields, or two values of one field: either may be meant.
    else if (rivals.some(({ length }) => length === one.length)) return undefined
  }
  if (new Set(kept.map(({ field }) => field)).size < kept.length) return undefined
  const known = new Set([...idle, ...tokens(toWords(kind)), ...kept.flatMap(({ field }) => tokens(toWords(field)))])
  const isExplained = question.every((term, at) => {
    const isNamed = kept.some((one) => one.at <= at && at < one.at + one.length)
    return isNamed || stopTerms.has(term) || known.has(term)
  })
  return isExplained ? kept.map(({ field, value }) => ({ field, value })) : undefined
}

const isEqual = (held: unknown, value: Condition['value']): boolean =>
  typeof held === 'string' && typeof value === 'string'
    ? held.length <= maxValueLength && tokens(held).join(' ') === tokens(value).join(' ')
    : held === value

/** Counts the records that fulfill all conditions. Texts are compared by their words. */
export const countRecords = async (
  records: readonly Fields[],
  conditions: readonly Condition[],
  pause: Pause,
): Promise<number> => {
  let count = 0
  for (const fields of records) {
    if (conditions.every(({ field, value }) => isEqual(fields[field], value))) count++
    await pause()
  }
  return count
}
