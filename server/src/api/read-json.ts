import { validation } from '../shared/errors.ts'

// JSON as it comes from outside, a body's or a line's: its bytes are looked at before they are parsed, its values after.

/** The deepest nesting of a body. */
const deepestInBody = 64
/** The most names of fields in a body, over all its objects. */
const mostNamesInBody = 200_000
const [quote, backslash, colon] = Buffer.from('"\\:')
/** By byte: one level deeper, one level up, or neither. */
const nesting = Int8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte)
  return '[{'.includes(character) ? 1 : ']}'.includes(character) ? -1 : 0
})
const decoder = new TextDecoder('utf-8', { fatal: true })

type Path = (string | number)[]

const refuse = (path: Path, message: string): never => {
  const where = ['body', ...path].join('.')
  throw validation(`${where}: ${message}`, { details: [{ path: where, message }] })
}

const checkText = (text: string, path: Path): void => {
  if (text.includes('\0')) refuse(path, 'Text cannot hold the character U+0000. Remove it.')
  if (!text.isWellFormed()) refuse(path, 'Text cannot hold half of a surrogate pair. Send whole characters.')
}

const checkNumber = (value: number, path: Path): void => {
  if (!Number.isFinite(value)) refuse(path, 'The number is too large to be kept. Send it as text.')
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    refuse(path, 'The whole number has too many digits to be kept exactly. Send it as text.')
}

/**
 * Refuses what JSON allows and a store cannot keep exactly: nothing that was sent is changed or lost silently. `path` is
 * where the walk stands: one list for all of it, because a body may hold millions of values.
 */
const checkValue = (value: unknown, path: Path): void => {
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

/**
 * Refuses a body whose shape would keep this node busy for seconds, before it is parsed: brackets that nest too deep, and
 * more names than any honest body has.
 */
const checkShape = (bytes: Buffer, deepest: number): void => {
  let depth = 0
  let names = 0
  let inText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (byte === quote) inText = !inText
    else if (inText) at += byte === backslash ? 1 : 0
    else if (byte === colon) names++
    else depth += nesting[byte] as number
    if (depth > deepest) throw validation(`The body is nested deeper than ${deepest} levels. Flatten it.`)
  }
  if (names > mostNamesInBody)
    throw validation(`The body has ${names} names; at most ${mostNamesInBody} are taken at once. Send it in parts.`)
}

/** The JSON value of a body; undefined where there is none. */
export const readJson = (bytes: Buffer | undefined, deepest = deepestInBody): unknown => {
  if (bytes === undefined || bytes.length === 0) return undefined
  checkShape(bytes, deepest)
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message.replace(/,? ?\.*"[\s\S]*$/, '') : 'it is not UTF-8 text'
    throw validation(`The body is not valid JSON: ${why}.`)
  }
  checkValue(value, [])
  return value
}
