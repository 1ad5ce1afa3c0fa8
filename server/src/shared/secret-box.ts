import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Keeps small secrets that must be used again, readable only with the service's own secret. */
export type SecretBox = {
  /** `context` names whose secret it is; it opens under the same one alone. */
  encrypt(text: string, context: string): Buffer
  /** Undefined if it was encrypted with another secret of the service, for another context, or was altered. */
  decrypt(encrypted: Buffer, context: string): string | undefined
}

/** Encrypts with AES-256-GCM, by a key derived from the service's secret for this purpose alone. */
export const createSecretBox = (serviceSecret: string, purpose: string): SecretBox => {
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', serviceSecret, '', purpose, 32)))
  return {
    encrypt: (text, context) => {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
      return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    decrypt: (encrypted, context) => {
      try {
        const decipher = createDecipheriv(algorithm, key, encrypted.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        }).setAAD(Buffer.from(context))
        decipher.setAuthTag(encrypted.subarray(-tagBytes))
        return decipher.update(encrypted.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
