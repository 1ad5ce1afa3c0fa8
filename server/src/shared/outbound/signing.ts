import { createHmac, randomBytes } from 'node:crypto'

/** What a delivery is signed with. While a secret is rotated, `next` is the one that will take over. */
export type SigningSecrets = { current: string; next: string | null }

/** A new signing secret, as Standard Webhooks writes them: `whsec_` and 32 random bytes in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const serviceSignature = (secret: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

const standardSignature = (secret: string, content: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(content)
    .digest('base64')}`

/**
 * The headers of a signed delivery. `X-Service-Signature` is an HMAC of the body, keyed with the secret as it was shown;
 * those of Standard Webhooks cover the id and the time as well, keyed with the bytes that the secret spells. While a
 * secret is rotated the first stays with the old one, beside `X-Service-Signature-Next`, and the second holds both.
 */
export const signedHeaders = (
  { current, next }: SigningSecrets,
  { id, at, body }: { id: string; at: Date; body: string },
): Record<string, string> => {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const content = `${id}.${timestamp}.${body}`
  const secrets = next === null ? [current] : [current, next]
  return {
    'content-type': 'application/json',
    'user-agent': 'Noema-Webhooks/1',
    'x-service-signature': serviceSignature(current, body),
    ...(next === null ? {} : { 'x-service-signature-next': serviceSignature(next, body) }),
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => standardSignature(secret, content)).join(' '),
  }
}
