const maxCharacters = 500
const minSecretCharacters = 6

// Texts that look like a key of some service, or like the credentials of a header.
const keyLike = /\b(sk|pk|rk|gsk|xai|nsk|nbk|whsec|key|AIza)[-_]?[A-Za-z0-9*._-]{8,}|\bBearer\s+\S+/gi

/**
 * A provider's text that is safe to show and store: without the secrets of the request or anything that looks like a key, without
 * control characters, and cut to its beginning.
 */
export const toSafeText = (text: string, secrets: readonly string[]): string => {
  const masked = secrets
    .filter((secret) => secret.length >= minSecretCharacters)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '***'), text.slice(0, 64 * 1024))
  const shown = masked
    .replaceAll(keyLike, '***')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  return shown.length > maxCharacters ? `${shown.slice(0, maxCharacters)}…` : shown
}
