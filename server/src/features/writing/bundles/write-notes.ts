import type { BrainRecord } from '@noema/contracts/records.ts'
import type { Statement } from '@noema/contracts/statements.ts'
import { toDocumentPath } from './paths.ts'

// The text below the frontmatter of a record: its field `body`, and lists of its links and statements for people. The lists are made
// of the frontmatter each time, so edits of them mean nothing.

/** Begins the lists. */
const mark = '<!-- Made from the frontmatter by Noema. Edits below this line are ignored. -->\n'

/** The paths of records by id. */
export type Targets = ReadonlyMap<string, string>

const maxShown = 300

/** Text on one line that no reader of Markdown takes for marks. */
export const toPlain = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const short = line.length > maxShown ? `${line.slice(0, maxShown).replace(/[\ud800-\udbff]$/, '')}…` : line
  return short.replaceAll(/[\\`*_[\]<>#|]/g, '\\$&')
}

const toLink = (id: string, path: string | undefined): string =>
  path === undefined ? toPlain(id) : `[${toPlain(id)}](/${path})`

const toValue = ({ object }: Statement, targets: Targets): string => {
  if ('record' in object) return toLink(object.record.id, targets.get(object.record.id))
  return toPlain(typeof object.value === 'string' ? object.value : JSON.stringify(object.value))
}

const toStatementLine = (statement: Statement, targets: Targets): string => {
  const { predicate, validFrom, validTo, confidence, sources } = statement
  const terms = [
    ...(validFrom === null ? [] : [`from ${validFrom.slice(0, 10)}`]),
    ...(validTo === null ? [] : [`to ${validTo.slice(0, 10)}`]),
    ...(confidence === null ? [] : [`confidence ${confidence}`]),
    ...sources.slice(0, 3).map(({ document }) => `source ${toLink(document, toDocumentPath(document))}`),
  ]
  return `* **${toPlain(predicate)}**: ${[toValue(statement, targets), ...terms].join(', ')}\n`
}

/** The text below the frontmatter of a record. */
export const writeNotes = (
  body: string,
  { links, statements }: Pick<BrainRecord, 'links'> & { statements: readonly Statement[] },
  targets: Targets,
): string => {
  const lists = [
    ...(links.length === 0 ? [] : ['# Links\n\n']),
    ...links.map(({ predicate, to }) => `* **${toPlain(predicate)}**: ${toLink(to, targets.get(to))}\n`),
    ...(statements.length === 0 ? [] : [`${links.length > 0 ? '\n' : ''}# Statements\n\n`]),
    ...statements.map((one) => toStatementLine(one, targets)),
  ].join('')
  return lists === '' && !body.includes(mark) ? body : `${body}\n${mark}\n${lists}`
}

/** The field `body` of the text below the frontmatter of a record. */
export const readNotes = (text: string): string => {
  const at = text.lastIndexOf(`\n${mark}`)
  return at === -1 ? text : text.slice(0, at)
}
