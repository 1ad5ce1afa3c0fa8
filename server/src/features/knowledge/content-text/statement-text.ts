import type { BrainRecord } from '@noema/contracts/records.ts'
import { isJsonObject } from '../../../shared/text/json.ts'
import { jsonLines } from '../../../shared/text/json-lines.ts'
import type { AssertedStatement } from '../statements/statement-queries.ts'
import { recordTitle } from './record-text.ts'

// The text form of a statement. The indexing thread loads only this, off the main thread.

/** A statement with the records that were valid when it was asserted. */
type FoundStatement = {
  type: 'statement'
  statement: AssertedStatement
  subject: BrainRecord | null
  object: BrainRecord | null
}

const searchStatement = ({ statement, subject, object }: FoundStatement): string => {
  const { subject: ref, predicate, object: said } = statement
  const name = subject ? recordTitle(subject) : ref.id
  if ('record' in said) return `${name} ${predicate} ${object ? recordTitle(object) : said.record.id}`
  const { value } = said
  return `${name} ${predicate} ${isJsonObject(value) || Array.isArray(value) ? [...jsonLines(value)].join('\n') : value}`
}

const maxTitleLength = 200

export const statementText = {
  toFound: (found: Omit<FoundStatement, 'type'>): FoundStatement => ({ type: 'statement', ...found }),
  searchText: searchStatement,
  title: (found: FoundStatement) => searchStatement(found).slice(0, maxTitleLength).toWellFormed(),
  heading: () => '',
  prefix: () => '',
  kind: ({ statement }: FoundStatement) => statement.subject.kind,
}
