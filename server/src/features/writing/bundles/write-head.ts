import { bundleLimits } from '@noema/contracts/bundles.ts'
import { hasFewMarks } from '../../../shared/text/frontmatter.ts'
import type { Json, JsonObject } from '../../../shared/text/json.ts'

// Frontmatter that any reader of YAML takes: a line for each value, in JSON where it is not a plain word, and last the part `noema`,
// which is JSON. Long frontmatter is JSON as a whole, which is YAML, too.

/** Characters that YAML reads in another way than JSON, or not at all. */
const unsafe = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

const toJson = (value: Json, space?: number): string =>
  JSON.stringify(value, null, space).replace(
    unsafe,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

const plainWord = /^[A-Za-z][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*$/
const meansMore = /^(?:true|false|null|yes|no|on|off|y|n)$/i

const toScalar = (text: string): string =>
  text.length <= 200 && plainWord.test(text) && !meansMore.test(text) ? text : toJson(text)

const toLine = (name: string, value: Json): string =>
  `${toScalar(name)}: ${typeof value === 'string' ? toScalar(value) : toJson(value)}\n`

/** A list with an item on each line, so that a difference of two files shows the item. */
const toListLines = (name: string, items: readonly Json[]): string =>
  `    ${toJson(name)}: [\n${items.map((item) => `      ${toJson(item)}`).join(',\n')}\n    ]`

const toOwnPart = (own: JsonObject): string => {
  const lines = Object.entries(own).map(([name, value]) =>
    Array.isArray(value) && value.length > 0 ? toListLines(name, value) : `    ${toJson(name)}: ${toJson(value)}`,
  )
  return `noema: {\n${lines.join(',\n')}\n  }\n`
}

const maxDepth = 6
const maxNameLength = 200

/** True if YAML can have it as it is: it is not nested deeply, and its names are short. */
const isSimple = (value: Json, depth = 0): boolean => {
  if (typeof value !== 'object' || value === null) return true
  if (depth > maxDepth) return false
  if (Array.isArray(value)) return value.every((item) => isSimple(item, depth + 1))
  return Object.entries(value).every(
    ([name, item]) => name.length <= maxNameLength && name !== '__proto__' && isSimple(item, depth + 1),
  )
}

/** The frontmatter of a file with its lines `---`: values for any reader, and the part of the service. */
export const writeHead = (values: JsonObject, own: JsonObject): string => {
  const lines = Object.entries(values)
    .map(([name, value]) => toLine(name, value))
    .join('')
  if (lines.length <= bundleLimits.yamlLength && hasFewMarks(lines) && isSimple(values))
    return `---\n${lines}${toOwnPart(own)}---\n`
  return `---\n${toJson({ ...values, noema: own }, 1)}\n---\n`
}
