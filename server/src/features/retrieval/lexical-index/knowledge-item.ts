import type { BrainRecord } from '@noema/contracts/records.ts'
import { isJsonObject } from '../../../shared/json.ts'
import type { ServedDocument } from '../../brain/documents/documents.ts'
import type { AssertedStatement } from '../../brain/statements/statements.ts'

// What search finds is a version of a record, statement or document. Here is what each is called and how it reads as text.

export type ThingType = 'record' | 'statement' | 'document'

/** Which version of what. A statement has one version, 1. */
export type Address = { type: ThingType; id: string; version: number }

/** What a version says, as its table holds it. The records of a statement are those that were valid when it was asserted. */
export type Content =
  | { type: 'record'; record: BrainRecord }
  | { type: 'statement'; statement: AssertedStatement; subject: BrainRecord | null; object: BrainRecord | null }
  | { type: 'document'; document: ServedDocument; text: string }

/** A version and the Brain states in which it is valid. */
export type Version = Address & { fromState: number; toState: number | null; content: Content }

const nameFields = ['title', 'name', 'label', 'subject', 'summary']

/** The beginning of a text, without half of a surrogate pair at its end. */
const begin = (text: string, longest: number): string => text.slice(0, longest).toWellFormed()

const longestTitle = 200

/** What a person would call a record: the field that names it, its slug, or its id. */
const recordTitle = ({ id, slug, fields }: BrainRecord): string => {
  const named = nameFields.map((name) => fields[name]).find((value) => typeof value === 'string' && value.trim() !== '')
  return typeof named === 'string' ? begin(named, longestTitle) : (slug ?? id)
}

const mostLines = 2_000

/** The values of JSON in lines "path: value", as far as they say something. */
function* linesOf(path: string, value: unknown): Generator<string> {
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) yield `${path}: ${value.join(', ')}`
  else if (Array.isArray(value)) for (const item of value) yield* linesOf(path, item)
  else if (isJsonObject(value))
    for (const [name, item] of Object.entries(value)) yield* linesOf(path === '' ? name : `${path} ${name}`, item)
  else if (value !== null && value !== '') yield `${path}: ${value}`
}

const recordText = (record: BrainRecord): string => {
  const { kind, slug, fields, links } = record
  const heading = [recordTitle(record), kind, slug].filter((part) => part !== null)
  const lines = [heading.join(' · ')]
  for (const line of linesOf('', fields)) if (lines.push(line) > mostLines) break
  return [...lines, ...links.map(({ predicate, to }) => `${predicate}: ${to}`)].join('\n')
}

const statementText = ({ statement, subject, object }: Extract<Content, { type: 'statement' }>): string => {
  const { subject: ref, predicate, object: said } = statement
  const name = subject ? recordTitle(subject) : ref.id
  if ('record' in said) return `${name} ${predicate} ${object ? recordTitle(object) : said.record.id}`
  const { value } = said
  return `${name} ${predicate} ${isJsonObject(value) || Array.isArray(value) ? [...linesOf('', value)].join('\n') : value}`
}

/** The text that is cut and searched. A document's is its own, so that places in it can be told. */
export const textOf = (content: Content): string => {
  if (content.type === 'record') return recordText(content.record)
  if (content.type === 'statement') return statementText(content)
  return content.text
}

/** What stands above each stretch of a text, for search: a document's title. */
export const headingOf = (content: Content): string =>
  content.type === 'document' ? (content.document.title ?? '') : ''

/** How a hit is called. */
export const titleOf = (content: Content, firstWords: string): string => {
  if (content.type === 'record') return recordTitle(content.record)
  if (content.type === 'statement') return begin(statementText(content), longestTitle)
  return content.document.title ?? begin(firstWords.split('\n', 1)[0] ?? '', 80)
}

/** The kind that filters go by: a record's, or that of the record that a statement is about. */
export const kindOf = (content: Content): string | undefined => {
  if (content.type === 'record') return content.record.kind
  return content.type === 'statement' ? content.statement.subject.kind : undefined
}
