import type { testResult } from '@noema/contracts/webhook-endpoints.ts'
import type { z } from 'zod'
import { conflict, rateLimited } from '../../../shared/errors.ts'
import type { Outbound } from '../../../shared/outbound/outbound.ts'
import { type Sent, sendSigned } from '../../../shared/outbound/send-signed.ts'
import { createSigner, newSigningSecret, type Signer } from '../../../shared/outbound/signing.ts'
import type { SecretBox } from '../../../shared/secret-box.ts'
import type { OpenShares } from '../../platform/limits/limits.ts'

// The far end of a webhook, of either sort: a URL and the secrets that sign for it. A key is checked by its hash, but a
// signature is made with the secret itself: so it is kept, encrypted by the service's own.

/** The encrypted secrets of an endpoint: the one that signs, and the one that takes over at `nextFrom`. */
export type EndpointSecrets = { secret: Buffer; nextSecret: Buffer | null; nextFrom: Date | null }

/**
 * The target of a webhook of an organization. `context` names the owner of its secrets: they decrypt under the same name only.
 */
export type Endpoint = EndpointSecrets & { url: string; context: string; organization: string }

type Held = { url: string; paused: boolean; ownerLeft: boolean }

/**
 * The state of a webhook after a change of its URL or pause. If its owner has left, setting its address resumes it, even to the
 * same value.
 */
export const toHeld = (before: Held, given: { url?: string | undefined; paused?: boolean | undefined }): Held => {
  const { url = before.url, paused = before.paused } = given
  const ownerLeft = before.ownerLeft && given.url === undefined
  if (ownerLeft && before.paused && !paused)
    throw conflict(
      'The person who set where this webhook leads has lost their access. Send its url, too, to resume it.',
    )
  return { url, paused, ownerLeft }
}

type Message = { id: string; body: string }
type TestResult = z.infer<typeof testResult>

const rotationMilliseconds = 24 * 3_600_000

export const unreadableSecret = 'The secret cannot be decrypted, because NOEMA_SECRET has changed. Rotate it.'

/** A new secret: as it is shown once, and as it is kept. */
export const newEndpointSecret = (secretBox: SecretBox, context: string): { secret: string; encrypted: Buffer } => {
  const secret = newSigningSecret()
  return { secret, encrypted: secretBox.encrypt(secret, context) }
}

/** Signs as is due at this moment; undefined where the service's secret is not the one that encrypted the endpoint's. */
export const openSigner = (
  secretBox: SecretBox,
  { context, secret, nextSecret, nextFrom }: EndpointSecrets & { context: string },
  now: Date,
): Signer | undefined => {
  const hasTurned = nextSecret !== null && nextFrom !== null && nextFrom <= now
  const current = secretBox.decrypt(hasTurned ? nextSecret : secret, context)
  const next = hasTurned || nextSecret === null ? null : secretBox.decrypt(nextSecret, context)
  return current === undefined || next === undefined ? undefined : createSigner({ current, next })
}

/** When the secret that a rotation made signs alone; null while there is no such rotation. */
export const toNextSecretFrom = ({ nextFrom }: Pick<EndpointSecrets, 'nextFrom'>, now: Date): string | null =>
  nextFrom !== null && nextFrom > now ? nextFrom.toISOString() : null

/** A new secret and the columns that store it. The old secret signs as well for 24 hours. */
export const rotateSecret = (
  secretBox: SecretBox,
  held: EndpointSecrets & { context: string },
  now: Date,
): { secret: string; kept: EndpointSecrets } => {
  if (held.nextFrom !== null && held.nextFrom > now)
    throw conflict(
      `This webhook's secret is being replaced until ${held.nextFrom.toISOString()}. To stop the old one now, create a new webhook and delete this one.`,
    )
  const { secret, encrypted } = newEndpointSecret(secretBox, held.context)
  // A secret that no longer decrypts cannot sign any more.
  const goesOn = openSigner(secretBox, held, now) !== undefined
  const nextFrom = new Date(now.getTime() + rotationMilliseconds)
  const kept = goesOn
    ? { secret: held.nextSecret ?? held.secret, nextSecret: encrypted, nextFrom }
    : { secret: encrypted, nextSecret: null, nextFrom: null }
  return { secret, kept }
}

type SendDeps = { outbound: Outbound; secretBox: SecretBox }

/** Sends one signed message; undefined where the endpoint's secret cannot be decrypted. */
const send = async ({ outbound, secretBox }: SendDeps, endpoint: Endpoint, at: Date, message: Message) => {
  const sign = openSigner(secretBox, endpoint, at)
  return sign ? sendSigned(outbound, { ...endpoint, sign, at }, message) : undefined
}

/** Sends one signed message. An endpoint whose secret cannot be decrypted fails like one that does not answer. */
export const sendTo = async (deps: SendDeps, endpoint: Endpoint, at: Date, message: Message): Promise<Sent> =>
  (await send(deps, endpoint, at, message)) ?? {
    ...{ status: null, answer: '', milliseconds: 0, delivered: false, isPostponed: false, hasRunOut: false },
    error: unreadableSecret,
  }

/**
 * Sends a test message now and returns the outcome. Only so many tests run at once (SUR-04), and one too many costs nothing: the
 * address is looked up only after a test has a slot.
 */
export const testEndpoint = async (
  deps: SendDeps & { open: OpenShares },
  { id, organization }: { id: string; organization: string },
  at: Date,
  prepare: () => Promise<{ endpoint: Endpoint; message: Message }>,
): Promise<TestResult> => {
  const leave = deps.open.take('tests', { organization, key: id })
  const sent = await prepare()
    .then(({ endpoint, message }) => send(deps, endpoint, at, message))
    .finally(leave)
  if (!sent) throw conflict('This webhook cannot sign: the service has another NOEMA_SECRET since. Rotate its secret.')
  const { delivered, status, error, answer, milliseconds, isPostponed } = sent
  if (isPostponed) throw rateLimited(`${error} Try again soon.`, { code: 'too_many_calls', retryAfterSeconds: 5 })
  return { delivered, status, error, answer, milliseconds }
}

/** Why a delivery failed, in a sentence. */
export const toFailure = ({ status, error }: Pick<Sent, 'status' | 'error'>): string =>
  error ?? `The receiver responded with ${status}.`
