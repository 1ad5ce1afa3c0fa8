import { conflict } from '../../../shared/errors.ts'
import { createSigner, newSigningSecret, type Signer } from '../../../shared/outbound/signing.ts'
import type { Seal } from '../../../shared/seal.ts'
import type { SealedSecrets } from './queries.ts'

// A key is checked by its hash, but a signature is made with the secret itself: so it is kept, sealed by the service's own.

/** What the secrets of an organization's webhooks are sealed under, where those of a Brain's have its number. */
export const ofNoBrain = 0

const contextOf = (brainId: number, id: string) => `${brainId}/${id}`

export const sealSecret = (seal: Seal, brainId: number, id: string, secret: string): Buffer =>
  seal.seal(secret, contextOf(brainId, id))

/** Signs as is due at this moment; undefined where the service's secret is not the one that sealed it. */
export const openSigner = (
  seal: Seal,
  { brainId, id, secret, nextSecret, nextFrom }: SealedSecrets & { brainId: number; id: string },
  now: Date,
): Signer | undefined => {
  const hasTurned = nextSecret !== null && nextFrom !== null && nextFrom <= now
  const current = seal.open(hasTurned ? nextSecret : secret, contextOf(brainId, id))
  const next = hasTurned || nextSecret === null ? null : seal.open(nextSecret, contextOf(brainId, id))
  return current === undefined || next === undefined ? undefined : createSigner({ current, next })
}

const rotationMilliseconds = 24 * 3_600_000

/** A new secret, which signs beside the old one for 24 hours and then alone; and what is to be kept of both. */
export const turnSecrets = (
  seal: Seal,
  held: SealedSecrets & { brainId: number; id: string },
  now: Date,
): { secret: string; kept: SealedSecrets } => {
  if (held.nextFrom !== null && held.nextFrom > now)
    throw conflict(
      `This webhook's secret is being replaced until ${held.nextFrom.toISOString()}. To stop the old one now, make a new webhook and delete this one.`,
    )
  const secret = newSigningSecret()
  const sealed = sealSecret(seal, held.brainId, held.id, secret)
  // Where the old one cannot be opened any more there is nothing to go on with.
  const goesOn = openSigner(seal, held, now) !== undefined
  const nextFrom = new Date(now.getTime() + rotationMilliseconds)
  const kept = goesOn
    ? { secret: held.nextSecret ?? held.secret, nextSecret: sealed, nextFrom }
    : { secret: sealed, nextSecret: null, nextFrom: null }
  return { secret, kept }
}
