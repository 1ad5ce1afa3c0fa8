import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** `nsk`: a management key; `nbk`: a Brain key; `nat`: the token of an app. */
export type TokenPrefix = 'nsk' | 'nbk' | 'nat'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const bodyLength = 40
const checksumLength = 6
const shape = new RegExp(`^(nsk|nbk|nat)_[0-9A-Za-z]{${bodyLength + checksumLength}}$`)

const computeChecksum = (text: string): string => {
  let digits = ''
  for (let rest = crc32(text), index = 0; index < checksumLength; index++) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** The SHA-256 that a token is stored and found by. 238 random bits need no salt and no slow hash. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** A new secret: prefix, 40 random base62 characters, and 6 of CRC-32 that detect a typo without a lookup. */
export const newToken = (prefix: TokenPrefix): string => {
  const body = Array.from({ length: bodyLength }, () => alphabet.charAt(randomInt(62))).join('')
  const text = `${prefix}_${body}`
  return text + computeChecksum(text)
}

/** The kind of a well-formed token; undefined for anything else. */
export const tokenKind = (token: string): TokenPrefix | undefined => {
  const match = shape.exec(token)
  if (!match) return undefined
  const text = token.slice(0, -checksumLength)
  return computeChecksum(text) === token.slice(-checksumLength) ? (match[1] as TokenPrefix) : undefined
}

/** The first 8 characters of a token, for lists. */
export const shownPrefix = (token: string): string => token.slice(0, 8)
