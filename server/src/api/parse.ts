import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { ErrorDetail } from '@noema/contracts/errors.ts'
import type { z } from 'zod'
import { validation } from '../shared/errors.ts'

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
export const parseJson = (bytes: Buffer | undefined, deepest = deepestInBody): unknown => {
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

const detailsOf = (issues: readonly z.core.$ZodIssue[], root: string): ErrorDetail[] =>
  issues.flatMap((issue) => {
    // A union's own message is "Invalid input"; what is wrong stands in the branch that came closest.
    if (issue.code === 'invalid_union' && issue.message === 'Invalid input' && issue.errors.length > 0) {
      const closest = issue.errors.reduce((a, b) => (deepestPath(b) > deepestPath(a) ? b : a))
      return detailsOf(
        closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })),
        root,
      )
    }
    const names = issue.code === 'unrecognized_keys' ? ` (${issue.keys.join(', ')})` : ''
    return [
      {
        path: [root, ...issue.path].join('.'),
        message: `${issue.message}${names && issue.message.includes(':') ? '' : names}`,
      },
    ]
  })

const deepestPath = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length))

const most = 20

/** Parses a part of a request, or throws what is wrong with each of its fields. */
export const parseWith = (schema: z.ZodType, value: unknown, root: string): unknown => {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const details = detailsOf(parsed.error.issues, root).slice(0, most)
  const [first] = details
  const rest = details.length > 1 ? ` (and ${details.length - 1} more in details)` : ''
  throw validation(`${first?.path ?? root}: ${first?.message ?? 'not valid'}${rest}`, { details })
}

/** The parameters of the path. What PostgreSQL cannot take as text names nothing that is there. */
export const parseParams = (params: Record<string, string>): Record<string, string> => {
  for (const [name, value] of Object.entries(params)) {
    const message = 'A path cannot hold the character U+0000.'
    if (value.includes('\0')) throw validation(message, { details: [{ path: `path.${name}`, message }] })
  }
  return params
}

/** The query as the endpoint declares it. A parameter that it does not declare is refused by name (SUR-06). */
export const parseQuery = (endpoint: Endpoint, query: Record<string, unknown>): unknown => {
  const accepted = Object.keys(endpoint.query?.shape ?? {})
  const unknown = Object.keys(query).filter((name) => !accepted.includes(name))
  if (unknown.length > 0) {
    const known = accepted.length > 0 ? `it accepts ${accepted.join(', ')}` : 'it accepts none'
    throw validation(
      `This endpoint has no query parameter ${unknown.map((name) => JSON.stringify(name)).join(', ')}; ${known}.`,
      { details: unknown.map((name) => ({ path: `query.${name}`, message: 'Unknown query parameter.' })) },
    )
  }
  for (const [name, value] of Object.entries(query)) {
    const message = 'A query parameter cannot hold the character U+0000.'
    if (String(value).includes('\0')) throw validation(message, { details: [{ path: `query.${name}`, message }] })
  }
  return endpoint.query ? parseWith(endpoint.query, query, 'query') : undefined
}

/** The body as the endpoint declares it. */
export const parseBody = (endpoint: Endpoint, bytes: Buffer | undefined): unknown => {
  if (!endpoint.body) return undefined
  const value = parseJson(bytes)
  if (value === undefined && !endpoint.bodyOptional) throw validation('This call needs a JSON body.')
  return parseWith(endpoint.body, value === undefined ? {} : value, 'body')
}

/** The version that `If-Match: "<version>"` expects. */
export const parseIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined
  const match = /^"([1-9]\d{0,8})"$/.exec(header.trim())
  if (!match)
    throw validation('If-Match takes one version in quotes, such as "3".', {
      details: [{ path: 'If-Match', message: 'One version in quotes.' }],
    })
  return Number(match[1])
}

/** The key of `Idempotency-Key`. */
export const parseIdempotencyKey = (header: string | undefined): string | undefined => {
  if (header === undefined) return undefined
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    const message = 'Idempotency-Key takes 1 to 255 visible ASCII characters.'
    throw validation(message, { details: [{ path: 'Idempotency-Key', message }] })
  }
  return header
}
