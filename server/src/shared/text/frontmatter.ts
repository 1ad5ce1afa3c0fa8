import { parseDocument } from 'yaml'

// Frontmatter is YAML from any writer. It is parsed without custom types and aliases, and only if it is short and has few characters
// with a meaning in YAML: these bound the time of the parser.

const maxMarks = 400
const marks = /[[\]{},:&*!|>%@#?"'\n-]/g

const opening = /^\uFEFF?---[ \t]*\r?\n/
const closing = /^---[ \t]*(?:\r?\n|$)/m

/** A text between two lines `---` at its beginning, and the rest; undefined if it does not begin so. */
export const cutFrontmatter = (text: string): { head: string; body: string } | undefined => {
  const start = opening.exec(text)?.[0].length
  if (start === undefined) return undefined
  const rest = text.slice(start)
  const end = closing.exec(rest)
  return end ? { head: rest.slice(0, end.index), body: rest.slice(end.index + end[0].length) } : undefined
}

/** True if YAML has few enough marks to be parsed. */
export const hasFewMarks = (yaml: string): boolean => (yaml.match(marks)?.length ?? 0) <= maxMarks

/** The value of short YAML, or the problem with it as the end of a sentence about it. */
export const parseYaml = (yaml: string): { value: unknown } | { problem: string } => {
  if (!hasFewMarks(yaml)) return { problem: 'has too many lines and marks. Keep to a few short fields.' }
  try {
    const document = parseDocument(yaml, {
      ...{ schema: 'core', version: '1.2', merge: false, strict: true, uniqueKeys: true, stringKeys: true },
      ...{ prettyErrors: false, logLevel: 'silent' },
    })
    const [fault] = [...document.errors, ...document.warnings]
    if (fault) return { problem: `is not valid YAML: ${fault.message}` }
    return { value: document.toJS({ maxAliasCount: 0 }) }
  } catch {
    return { problem: 'cannot be read. Write it without anchors, aliases and deep nesting.' }
  }
}
