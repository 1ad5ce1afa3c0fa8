import { hash, randomBytes } from 'node:crypto'

/** The secrets that sign a delivery. During a rotation, `next` is the one that will take over. */
export type SigningSecrets = { current: string; next: string | null }

/** Makes the headers of a signed delivery: `id` is the message's own, the same on every attempt. */
export type Signer = (delivery: { id: string; at: Date; body: string }) => Record<string, string>

/** A new signing secret, as Standard Webhooks writes them: `whsec_` and 32 random bytes in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const blockBytes = 64

/**
 * HMAC-SHA256 (RFC 2104) with a key that is prepared once. Node's own creates a key object each time, which costs several
 * times as much as hashing a small body.
 */
const createHmacBy = (key: Buffer) => {
  const block = Buffer.alloc(blockBytes)
  block.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key)
  const [inner, outer] = [0x36, 0x5c].map((pad) => Buffer.from(block.map((byte) => byte ^ pad)))
  return (text: string, encoding: 'hex' | 'base64'): string => {
    const digest = hash('sha256', Buffer.concat([inner ?? block, Buffer.from(text)]), 'buffer')
    return hash('sha256', Buffer.concat([outer ?? block, digest]), encoding)
  }
}

const createKeys = (secret: string) => ({
  service: createHmacBy(Buffer.from(secret)),
  standard: createHmacBy(Buffer.from(secret.slice('whsec_'.length), 'base64')),
})

/**
 * Signs deliveries. `X-Service-Signature` is an HMAC of the body, keyed with the secret as it was shown. The Standard
 * Webhooks headers also cover the id and the time, keyed with the bytes that the secret encodes. During a rotation the
 * first header uses the old secret, next to `X-Service-Signature-Next`, and the second contains both signatures.
 */
export const createSigner = ({ current, next }: SigningSecrets): Signer => {
  const keys = [current, ...(next === null ? [] : [next])].map(createKeys)
  return ({ id, at, body }) => {
    const timestamp = String(Math.floor(at.getTime() / 1000))
    const content = `${id}.${timestamp}.${body}`
    const [signature, nextSignature] = keys.map(({ service }) => `sha256=${service(body, 'hex')}`)
    return {
      'content-type': 'application/json',
      'user-agent': 'Noema-Webhooks/1',
      'x-service-signature': signature ?? '',
      ...(nextSignature === undefined ? {} : { 'x-service-signature-next': nextSignature }),
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': keys.map(({ standard }) => `v1,${standard(content, 'base64')}`).join(' '),
    }
  }
}
