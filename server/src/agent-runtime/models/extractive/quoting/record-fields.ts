import { stopTerms, tokenize } from '../../../../features/retrieval/terms/terms.ts'
import type { Quote } from '../choose-quotes.ts'
import { toWords } from '../find-value.ts'
import type { Found } from '../read-found.ts'
import { hasTerm, toPart } from './candidates.ts'
import type { Question, Term } from './question.ts'

// The field of a record that a question names: "status: paid" of "What is the status of order 17?". The rest of the question has
// to say which record it is about.

/** A field of a record as a context shows it. */
type Field = { name: readonly string[]; line: string; value: string }

const fieldLine = /^([\p{L}\p{N}_.$ -]{1,80}): (.*)$/su

const contentTerms = (text: string): string[] =>
  [...tokenize(text)].flatMap(({ term }) => (stopTerms.has(term) ? [] : term))

/** The fields of a record. A line without a name belongs to the one before. */
const readFields = (text: string): Field[] => {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    if (fieldLine.test(line) || lines.length === 0) lines.push(line)
    else lines.push(`${lines.pop()}\n${line}`)
  }
  return lines.flatMap((line) => {
    const [, name, value] = fieldLine.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [{ name: contentTerms(toWords(name)), line, value }]
  })
}

/** The terms of a question that say which record is meant: values, its name, its slug, its kind. */
const findIdentity = (record: Found, fields: readonly Field[], { terms }: Question): Set<Term> => {
  const { title, id, kind = '', slug = '' } = record
  const part = toPart([title, id, kind, slug, ...fields.map(({ value }) => value)].join('\n'))
  return new Set(terms.filter((term) => hasTerm(part, term)))
}

/** Words of a question beyond the record and its field, at most: "placed" of "Which customer placed order 17?". */
const maxUnknown = 1

type Match = { quote: Quote; naming: number }

/** The field of one record that answers; undefined where the question is about another record, or names no field. */
const matchRecord = (record: Found, question: Question): Match[] => {
  const fields = readFields(record.text)
  const identity = findIdentity(record, fields, question)
  const main = question.terms.filter(({ weight }) => weight >= 1)
  const kind = new Set(contentTerms(toWords(record.kind ?? '')))
  const others = main.filter((term) => !identity.has(term))
  if (others.some(({ isIdentifier }) => isIdentifier)) return []
  const matches = fields.flatMap((field) => {
    const named = main.filter(({ term }) => field.name.includes(term))
    // The kind of a record does not name the field "orderedOn" of an order.
    const naming = named.filter(({ term }) => !kind.has(term))
    const unknown = others.filter((term) => !named.includes(term))
    const isAbout = main.some((term) => identity.has(term) && !named.includes(term))
    if (naming.length === 0 || !isAbout || unknown.length > maxUnknown) return []
    const share = naming.length / field.name.length - unknown.length / 4
    return [{ quote: { text: field.line, from: record }, naming: share }]
  })
  const best = Math.max(...matches.map(({ naming }) => naming))
  return matches.filter(({ naming }) => naming === best)
}

/** Records of which a field is quoted, at most: of more, the question does not say which one it is about. */
const maxRecords = 3

/** The fields that a question names, of the records that it is about. */
export const chooseFields = (found: readonly Found[], question: Question): Quote[] => {
  const matches = found.flatMap((one) => (one.type === 'record' ? matchRecord(one, question) : []))
  const best = Math.max(...matches.map(({ naming }) => naming))
  const quotes = matches.filter(({ naming }) => naming === best).map(({ quote }) => quote)
  return quotes.length <= maxRecords ? quotes : []
}
