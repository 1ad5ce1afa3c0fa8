import type { SpanAbout } from '../shared/tracing/spans.ts'

// Spans of statements, by the conventions for databases. A statement is described by its action and its tables: neither its
// values nor its text, because some texts contain values.

/** More texts than there are; texts that depend on callers' input are parsed each time. */
const maxKnown = 1_000
const maxTargets = 8
const known = new Map<string, SpanAbout>()

/** The action and its table; a function call in the position of a table does not match. */
const doing =
  /\b(?:(insert into|update|delete from)\s+(?:only\s+)?([a-z_][a-z0-9_]*)|(from|join)\s+([a-z_][a-z0-9_]*)\b(?!\s*\())/g
const operations: Record<string, string> = { 'insert into': 'INSERT', update: 'UPDATE', 'delete from': 'DELETE' }
/** Words after these keywords that are no tables: `for update of`, `do update set`, `for update skip locked`. */
const noTables = ['set', 'of', 'skip', 'lateral', 'select']

/** The names that the statement itself defines. */
const findOwnNames = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\b([a-z_][a-z0-9_]*)(?:\s*\([^()]*\))?\s+as\s+(?:materialized\s+|not materialized\s+)?\(/g)].map(
      (match) => match[1] ?? '',
    ),
  )

const describe = (text: string): SpanAbout => {
  const [command = ''] = /^\s*[a-z]+/i.exec(text) ?? []
  const own = findOwnNames(text)
  const found = [...text.matchAll(doing)].flatMap(([, write = '', written, , read]) => {
    const table = written ?? read ?? ''
    return own.has(table) || noTables.includes(table) ? [] : `${operations[write] ?? 'SELECT'} ${table}`
  })
  const summary = [...new Set(found)].slice(0, maxTargets).join(' ') || command.trim().toUpperCase()
  return {
    name: summary,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.query.summary': summary },
  }
}

/** The span of a statement. */
export const aboutStatement = (text: string): SpanAbout => {
  const before = known.get(text)
  if (before) return before
  const about = describe(text)
  if (known.size < maxKnown) known.set(text, about)
  return about
}
