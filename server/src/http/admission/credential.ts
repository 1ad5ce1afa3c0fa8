import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** What a request carries to say who sends it. */
export type Credential = {
  /** The key; undefined where the header does not have the form of one. */
  token: string | undefined
  /** Its SHA-256 in hexadecimal, by which keys are found and callers are remembered. */
  hash: string
}

/** The token of `Bearer <token>`. */
const findBearer = (authorization: string): string | undefined => /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]

/** The credential of a request, from either header; undefined if it carries none. */
export const readCredential = (headers: IncomingHttpHeaders): Credential | undefined => {
  const { authorization } = headers
  const given = authorization ?? headers['x-api-key']
  if (typeof given !== 'string') return undefined
  const token = authorization === undefined ? given : findBearer(authorization)
  return { token, hash: hash('sha256', token ?? given) }
}
