import { hash, timingSafeEqual } from 'node:crypto'
import { validation } from '../../../shared/errors.ts'

/** What a cursor is bound to: one Brain, by its number and its own random key. */
export type CursorScope = { brainId: number; cursorKey: Buffer }

/** The list that a cursor belongs to; one list's cursor is refused by another. */
export type CursorList =
  | 'events'
  | 'records'
  | `record-history:${string}`
  | 'statements'
  | 'documents'
  | `document-versions:${string}`
  | 'brain-keys'
  | 'management-keys'
  | 'brains'
  | 'changes'
  | `snapshots:${string}`
  | `snapshot-items:${string}`
  | 'emerged'
  | 'schemas'
  | 'receipts'
  | 'webhooks'
  | `deliveries:${string}`
  | `query:${string}`

const macCharacters = 12

/**
 * 72 bits of SHA-256 over the Brain's key and the payload. Cutting the hash is what makes a plain prefix key enough: a
 * longer payload cannot be derived from it. (An HMAC object costs ten times as much, once for each event.)
 */
const macOf = (payload: string, key: Buffer): string =>
  hash('sha256', key.toString('hex') + payload, 'base64url').slice(0, macCharacters)

/** Makes an opaque cursor. Only the holder of the Brain's cursor key can make one that opens again (EVT-09). */
export const sealCursor = (
  list: CursorList,
  scope: CursorScope,
  value: string | number | (string | number)[],
): string => {
  const payload = JSON.stringify([list, scope.brainId, value])
  return macOf(payload, scope.cursorKey) + Buffer.from(payload).toString('base64url')
}

type Sealed = { list: string; brainId: number; value: unknown; isSealedBy(key: Buffer): boolean }

/** The refusal of a cursor that this list did not give. */
export const badCursor = () =>
  validation(
    'after is not a cursor that this list gave. Pass a cursor from an earlier answer, or leave it out to begin.',
  )

/** Takes a cursor apart without trusting it; undefined where it is not even shaped like one. */
export const unsealCursor = (text: string): Sealed | undefined => {
  const mac = text.slice(0, macCharacters)
  const sealed = text.slice(macCharacters)
  const bytes = Buffer.from(sealed, 'base64url')
  // What decodes to the same bytes but is spelled otherwise is not the cursor that was given.
  if (mac.length < macCharacters || bytes.length === 0 || bytes.toString('base64url') !== sealed) return undefined
  const payload = bytes.toString('utf8')
  try {
    const [list, brainId, value] = JSON.parse(payload)
    const isSealedBy = (key: Buffer) => isSame(mac, macOf(payload, key))
    return { list, brainId, value, isSealedBy }
  } catch {
    return undefined
  }
}

const isSame = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
