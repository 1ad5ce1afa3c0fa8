import { conflict } from '../../../shared/errors.ts'
import type { Content } from './types.ts'

/** Refuses a write that expects another version than the current one (D-06). */
export const checkVersion = (what: string, expected: number, current: number | null): void => {
  if (expected === current) return
  const now = current === null ? 'does not exist' : `is at version ${current}`
  throw conflict(
    `${what} ${now}, not at version ${expected}. Read it again, and repeat the write if it still applies.`,
    {
      code: 'stale_version',
      details: [{ path: ['ifMatch'], message: `The current version is ${current}.`, current }],
    },
  )
}

/** The JSON text of content that a write makes, and its bytes. */
export const writeContent = (content: Content): { json: string; size: number } => {
  const json = JSON.stringify(content)
  return { json, size: Buffer.byteLength(json) }
}
