import { bundleLimits } from '@noema/contracts/bundles.ts'
import { cutFrontmatter, parseYaml } from '../../../shared/text/frontmatter.ts'
import { isJsonObject, type JsonObject } from '../../../shared/text/json.ts'

// Frontmatter of any writer. The part `noema` is JSON where the service wrote it, and is then read as such.

/** The values of frontmatter, the part of the service if there is one, and the text below. */
type Head = { values: JsonObject; own: JsonObject | undefined; body: string }

const ownLine = /^noema: \{/m
/** The part from its line on. Only the first such line is tried: the time grows with the text alone. */
const ownPart = /noema: (\{\r?\n[\s\S]*?\n {2}\}|\{.*\})[ \t]*(?:\r?\n|$)/my

/** Reads JSON as bodies are read: what `check` refuses, no write can store. */
export type JsonReading = { parse(text: string): unknown; check(value: unknown): void }

const tryJson = (json: JsonReading, text: string): unknown => {
  try {
    return json.parse(text)
  } catch {
    return undefined
  }
}

/** Takes the part of the service out, if it is JSON still. */
const takeOwnPart = (json: JsonReading, head: string): { rest: string; own: unknown } => {
  const start = head.search(ownLine)
  if (start === -1) return { rest: head, own: undefined }
  ownPart.lastIndex = start
  const found = ownPart.exec(head)
  const own = found?.[1] === undefined ? undefined : tryJson(json, found[1])
  if (!found || own === undefined) return { rest: head, own: undefined }
  return { rest: head.slice(0, found.index) + head.slice(found.index + found[0].length), own }
}

const toYamlValues = (json: JsonReading, head: string): { value: unknown } | { problem: string } => {
  const { rest, own } = takeOwnPart(json, head)
  if (rest.length > bundleLimits.yamlLength)
    return { problem: `has more than ${bundleLimits.yamlLength} characters of YAML. Write it as JSON, or shorter.` }
  const parsed = rest.trim() === '' ? { value: {} } : parseYaml(rest)
  if ('problem' in parsed) return parsed
  if (own === undefined || !isJsonObject(parsed.value)) return parsed
  return 'noema' in parsed.value ? { problem: 'has the name noema twice.' } : { value: { ...parsed.value, noema: own } }
}

/** Reads a file of a bundle, or says why it is none, as the end of a sentence about its frontmatter. */
export const readHead = (json: JsonReading, text: string): Head | { problem: string } => {
  const cut = cutFrontmatter(text)
  if (!cut) return { problem: 'is missing. A concept begins with a line ---, YAML with a type, and a line ---.' }
  const written = cut.head.startsWith('{') ? tryJson(json, cut.head) : undefined
  const parsed = written === undefined ? toYamlValues(json, cut.head) : { value: written }
  if ('problem' in parsed) return parsed
  const { value } = parsed
  if (!isJsonObject(value)) return { problem: 'is not a list of names and values.' }
  json.check(value)
  const { noema, ...values } = value
  if (noema !== undefined && !isJsonObject(noema))
    return { problem: 'has a noema that is not a list of names and values.' }
  if (typeof values.type !== 'string' || values.type.trim() === '')
    return { problem: 'has no type. Each concept names its type, such as type: Playbook.' }
  return { values, own: noema, body: cut.body }
}
