import type { BrainEvent } from '@noema/contracts/events.ts'
import type { TestEvent, WebhookBody } from '@noema/contracts/webhooks.ts'
import { NoemaError } from './errors.ts'

// Verification of webhooks for Node, browsers and the edge: it needs only WebCrypto.

/** A delivery of a Brain's webhook. `event` has the type `webhook.test` if a person tests the webhook. */
export type BrainDelivery = { kind: 'brain' } & WebhookBody<BrainEvent | TestEvent>

/** A delivery of an organization's webhook, such as the end of a run. */
export type OrganizationDelivery = {
  kind: 'organization'
  event: string
  timestamp: string
  data: Record<string, unknown>
}

/** The request is not a delivery with this secret's signature, or not a recent one. Answer 400 and ignore its contents. */
export class WebhookVerificationError extends NoemaError {
  override name = 'WebhookVerificationError'
}

/** The headers of a request, as Node, Fetch and the frameworks over them have them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type UnwrapOptions = {
  /** Maximum difference in seconds between the time of sending and now; default 300. */
  toleranceSeconds?: number | undefined
  /** Milliseconds since 1970, for tests. */
  now?: number | undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

const toBytes = (rawBody: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof rawBody === 'string') return encoder.encode(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody)
  throw new NoemaError(
    'unwrap takes the raw body, a string or bytes: what a framework has parsed cannot be verified, because the signature covers the bytes as they were sent. Turn the body parser off for this route.',
  )
}

const findHeader = (headers: WebhookHeaders, name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? ''
  const entry = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  const value = entry?.[1]
  return typeof value === 'string' ? value : (value?.join(' ') ?? '')
}

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const importKey = (secret: string, usage: 'sign' | 'verify') => {
  const bytes = secret.startsWith('whsec_') ? fromBase64(secret.slice('whsec_'.length)) : undefined
  if (!bytes || bytes.length === 0)
    throw new NoemaError('A webhook secret begins with whsec_; it was shown when the webhook was created.')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage])
}

const signedContent = (id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = encoder.encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

/** Checks whether one of the secrets made one of the signatures. WebCrypto compares in constant time. */
const isSigned = async (signatures: string, secrets: readonly string[], content: Uint8Array<ArrayBuffer>) => {
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? (fromBase64(one.slice(3)) ?? []) : []))
  for (const secret of secrets) {
    const key = await importKey(secret, 'verify')
    for (const signature of given) if (await crypto.subtle.verify('HMAC', key, signature, content)) return true
  }
  return false
}

const parse = (body: Uint8Array): BrainDelivery | OrganizationDelivery => {
  try {
    const delivery = JSON.parse(decoder.decode(body))
    return { kind: 'webhook' in delivery ? 'brain' : 'organization', ...delivery }
  } catch (cause) {
    throw new WebhookVerificationError('The delivery is signed, but its body is not JSON.', { cause })
  }
}

/**
 * Verifies a delivery of a Brain's or an organization's webhook and returns its content. Takes the body as received (string
 * or bytes), the request's headers, and the webhook's secret, or several during a rotation. Rejects with a
 * `WebhookVerificationError` if the signature is missing, wrong, or too old, and with a `NoemaError` if it is called
 * wrongly. Verifies the headers of Standard Webhooks, which cover the time as well.
 */
export const unwrap = async (
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: UnwrapOptions = {},
): Promise<BrainDelivery | OrganizationDelivery> => {
  const body = toBytes(rawBody)
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    findHeader(headers, name),
  )
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('The webhook-id, webhook-timestamp or webhook-signature header is missing.')
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await isSigned(signatures, secrets, signedContent(id, timestamp, body))))
    throw new WebhookVerificationError('No signature of this delivery was made with this secret.')
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookVerificationError('The delivery was sent too long ago, or the clock of this machine is wrong.')
  return parse(body)
}

const hex = (bytes: ArrayBuffer) =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
const base64 = (bytes: ArrayBuffer) => btoa(String.fromCharCode(...new Uint8Array(bytes)))

/** The headers that the service sends with this body: for tests of a receiver, and for deliveries made locally. */
export const sign = async (
  body: string,
  secret: string,
  { id, now = Date.now() }: { id: string; now?: number },
): Promise<Record<string, string>> => {
  const timestamp = String(Math.floor(now / 1000))
  const bytes = encoder.encode(body)
  const whole = await crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
  ])
  const content = signedContent(id, timestamp, bytes)
  return {
    'content-type': 'application/json',
    'x-service-signature': `sha256=${hex(await crypto.subtle.sign('HMAC', whole, bytes))}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${base64(await crypto.subtle.sign('HMAC', await importKey(secret, 'sign'), content))}`,
  }
}

/** A secret of the kind that the service makes, for local use. */
export const newSecret = (): string => `whsec_${base64(crypto.getRandomValues(new Uint8Array(32)).buffer)}`
