import { invalidArgument, type Path, refuseAt } from '../shared/errors.ts'

// Untrusted JSON, of a body or a line: its bytes are checked before they are parsed, its values after.

/** The most names of fields in one JSON text, over all its objects. */
const maxNames = 200_000
/** The most values in one JSON text: each object, list, text, number, true, false and null. */
const maxValues = 500_000
const [quote, backslash, colon, comma] = Buffer.from('"\\:,')
const lastBlank = 0x20
/** By byte: one level deeper, one level up, or neither. */
const nesting = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0
})
const decoder = new TextDecoder('utf-8', { fatal: true })

const refuse = (path: Path, message: string): never => {
  throw invalidArgument([...path], message)
}

const checkText = (text: string, path: Path): void => {
  if (text.includes('\0')) refuse(path, 'Text cannot contain the character U+0000. Remove it.')
  if (!text.isWellFormed()) refuse(path, 'Text cannot contain half of a surrogate pair. Send whole characters.')
}

const checkNumber = (value: number, path: Path): void => {
  if (!Number.isFinite(value)) refuse(path, 'The number is too large to be stored. Send it as text.')
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    refuse(path, 'The whole number has too many digits to be stored exactly. Send it as text.')
}

/** `path` is the current position: one list for the whole walk, because a body may hold millions of values. */
const checkValue = (value: unknown, path: (string | number)[]): void => {
  if (typeof value === 'string') checkText(value, path)
  else if (typeof value === 'number') checkNumber(value, path)
  else if (value !== null && typeof value === 'object') {
    const isList = Array.isArray(value)
    for (const [name, item] of isList ? value.entries() : Object.entries(value)) {
      if (typeof name === 'string') checkName(name, path)
      path.push(name)
      checkValue(item, path)
      path.pop()
    }
  }
}

const checkName = (name: string, path: Path): void => {
  if (name === '__proto__') refuse(path, 'A field cannot be named __proto__. Choose another name.')
  checkText(name, path)
}

/** Refuses values that JSON allows but the store cannot keep exactly, so that nothing is changed or lost silently. */
export const checkKeepable = (value: unknown, root: Path = []): void => checkValue(value, [...root])

/** A JSON text to read: its name in messages, its path in the call, how deep it may nest, and how many values it may have. */
export type JsonSource = { what: string; root: Path; maxDepth: number; maxValues?: number }

/** The end of the text that begins at a quote. */
const findTextEnd = (bytes: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

/**
 * Refuses a text whose shape would keep this node busy for seconds, before it is parsed: brackets that nest too deep, more
 * names than any honest one has, or more values. Answers how many values it has.
 */
const checkShape = (bytes: Uint8Array, { what, root, maxDepth, maxValues: max = maxValues }: JsonSource): number => {
  let depth = 0
  let names = 0
  let values = 1
  // True while only blanks follow an opening bracket, so that there are no values inside.
  let isEmpty = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte <= lastBlank) continue
    const step = nesting[byte] as number
    if (byte === comma || (isEmpty && step >= 0)) values++
    isEmpty = step > 0
    depth += step
    if (byte === quote) at = findTextEnd(bytes, at)
    else if (byte === colon) names++
    if (depth > maxDepth) throw refuseAt(root, `${what} is nested deeper than ${maxDepth} levels. Flatten it.`)
    if (values > max) throw refuseAt(root, `${what} has more than ${max} values. Send it in parts.`)
  }
  if (names > maxNames)
    throw refuseAt(root, `${what} has ${names} names; at most ${maxNames} are accepted at once. Send it in parts.`)
  return values
}

/** The JSON value of a text, and how many values it has in all; no value where there is no text. They are not checked. */
export const parseCounted = (bytes: Uint8Array, source: JsonSource): { value: unknown; values: number } => {
  if (bytes.length === 0) return { value: undefined, values: 0 }
  const values = checkShape(bytes, source)
  try {
    return { value: JSON.parse(decoder.decode(bytes)), values }
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.replace(/,? ?\.*"[\s\S]*$/, '') : 'it is not UTF-8 text'
    throw refuseAt(source.root, `${source.what} is not valid JSON: ${why}.`)
  }
}
