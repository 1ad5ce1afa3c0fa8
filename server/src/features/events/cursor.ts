import { createHmac, timingSafeEqual } from 'node:crypto'
import { validation } from '../../shared/errors.ts'

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
  | 'emerged'
  | 'schemas'

const macBytes = 9

const macOf = (payload: string, key: Buffer): Buffer =>
  createHmac('sha256', key).update(payload).digest().subarray(0, macBytes)

/** Makes an opaque cursor. Only the holder of the Brain's cursor key can make one that opens again (EVT-09). */
export const sealCursor = (
  list: CursorList,
  scope: CursorScope,
  value: string | number | (string | number)[],
): string => {
  const payload = JSON.stringify([list, scope.brainId, value])
  return Buffer.concat([macOf(payload, scope.cursorKey), Buffer.from(payload)]).toString('base64url')
}

type Sealed = { list: string; brainId: number; value: unknown; isSealedBy(key: Buffer): boolean }

/** The refusal of a cursor that this list did not give. */
export const badCursor = () =>
  validation(
    'after is not a cursor that this list gave. Pass a cursor from an earlier answer, or leave it out to begin.',
  )

/** Takes a cursor apart without trusting it; undefined where it is not even shaped like one. */
export const unsealCursor = (text: string): Sealed | undefined => {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length <= macBytes || bytes.toString('base64url') !== text) return undefined
  const payload = bytes.subarray(macBytes).toString('utf8')
  try {
    const [list, brainId, value] = JSON.parse(payload)
    const mac = bytes.subarray(0, macBytes)
    return { list, brainId, value, isSealedBy: (key) => timingSafeEqual(mac, macOf(payload, key)) }
  } catch {
    return undefined
  }
}
