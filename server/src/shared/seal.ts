import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Keeps small secrets that must be used again, readable only with the service's own secret. */
export type Seal = {
  /** `context` names whose secret it is; it opens under the same one alone. */
  seal(text: string, context: string): Buffer
  /** Undefined where it was sealed by another secret of the service, for another context, or was altered. */
  open(sealed: Buffer, context: string): string | undefined
}

/** Seals with AES-256-GCM by a key made from the service's secret for this purpose alone. */
export const createSeal = (serviceSecret: string, purpose: string): Seal => {
  const key = Buffer.from(hkdfSync('sha256', serviceSecret, '', purpose, 32))
  return {
    seal: (text, context) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open: (sealed, context) => {
      try {
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes)).setAAD(Buffer.from(context))
        decipher.setAuthTag(sealed.subarray(-tagBytes))
        return decipher.update(sealed.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
