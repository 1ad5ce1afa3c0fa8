import { createSigner, type Signer } from '../../shared/outbound/signing.ts'
import type { Seal } from '../../shared/seal.ts'
import type { SealedSecrets } from './queries.ts'

// A key is checked by its hash, but a signature is made with the secret itself: so it is kept, sealed by the service's own.

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
