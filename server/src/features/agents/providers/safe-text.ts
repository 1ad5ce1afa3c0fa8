import { createMask } from '../../../shared/text/mask-secrets.ts'

const maxCharacters = 500

// What looks like a key of some service, or like the credentials of a header.
const keyLike = /\b(sk|pk|rk|gsk|xai|nsk|nbk|whsec|key|AIza)[-_]?[A-Za-z0-9*._-]{8,}|\bBearer\s+\S+/gi

/**
 * What a provider said, as it may be shown and kept: without the secrets that were sent to it or anything that looks like a key,
 * without control characters, and only its beginning.
 */
export const toSafeText = (text: string, secrets: readonly string[]): string => {
  const shown = createMask(secrets)(text.slice(0, 64 * 1024))
    .replaceAll(keyLike, '***')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown
}
