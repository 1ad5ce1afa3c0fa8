import { createMask } from '../../../shared/text/mask-secrets.ts'

const maxCharacters = 500

// Texts that look like a key of some service, or like the credentials of a header.
const keyLike = /\b(sk|pk|rk|gsk|xai|nsk|nbk|whsec|key|AIza)[-_]?[A-Za-z0-9*._-]{8,}|\bBearer\s+\S+/gi

/**
 * A provider's text that is safe to show and store: without the secrets of the request or anything that looks like a key, without
 * control characters, and cut to its beginning.
 */
export const toSafeText = (text: string, secrets: readonly string[]): string => {
  const shown = createMask(secrets)(text.slice(0, 64 * 1024))
    .replaceAll(keyLike, '***')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown
}
