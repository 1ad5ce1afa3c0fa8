import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toAddressHolder, toHolder } from '../access/holder.ts'
import type { Principal } from '../access/principal.ts'
import { failureBucket, listBuckets } from '../access/rates.ts'
import type { AppDeps } from '../app-deps.ts'
import type { Bucket, Taken } from '../features/platform/rates/rates.ts'
import { ApiError, rateLimited } from '../shared/errors.ts'
import type { Holder } from '../shared/shares.ts'
import type { InFlight } from './in-flight.ts'

// How many requests a caller may send (D-09), told in every answer as the IETF's draft "RateLimit header fields for HTTP" has
// it. Whoever was let in before is refused without a question to the database, and whoever guesses keys is slowed by their
// address, which others behind it, whose keys are known, do not notice.

/** Who was let in by a credential, as far as limits go. */
type Known = { holder: Holder; buckets: readonly Bucket[] }
type Some = readonly [Bucket, ...Bucket[]]

/** How many callers are remembered by the hash of their credential. It lets nobody in: that is asked each time. */
const maxKnown = 10_000

const isSome = (buckets: readonly Bucket[]): buckets is Some => buckets.length > 0
const label = ({ name }: Bucket): string => name.slice(0, name.indexOf(' '))
const toPolicy = (bucket: Bucket): string => {
  const { burst, perSecond } = bucket.rate
  return `"${label(bucket)}";q=${Math.floor(burst)};w=${Math.max(1, Math.ceil(burst / perSecond))}`
}

const tell = (reply: FastifyReply, buckets: Some, { bucket, left, seconds }: Taken): void => {
  reply.header('ratelimit-policy', buckets.map(toPolicy).join(', '))
  reply.header('ratelimit', `"${label(bucket)}";r=${left};t=${seconds}`)
}

const refusal = ({ bucket, seconds }: Taken): ApiError => {
  const { burst, perSecond } = bucket.rate
  const whose = { key: 'this key', organization: 'this organization', address: 'this address without a key' }[
    label(bucket)
  ]
  const message = whose
    ? `Too many requests: ${whose} may send ${perSecond} a second, and ${burst} at once. Wait as long as Retry-After says.`
    : 'Too many requests with keys that are not valid came from this address. Wait as long as Retry-After says.'
  return rateLimited(message, { retryAfterSeconds: seconds })
}

const findCredential = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers.authorization ?? headers['x-api-key']
  return typeof given === 'string' ? hash('sha256', given) : undefined
}

export type RateLimit = {
  /** Finds out who calls by the given function, and takes their request, or throws `rate_limited`. */
  admit(request: FastifyRequest, reply: FastifyReply, find: () => Promise<Principal>): Promise<Principal>
}

export const createRateLimit = (
  deps: Pick<AppDeps, 'rates' | 'rateLimits'>,
  inFlight: Pick<InFlight, 'enter'>,
): RateLimit => {
  const { rates } = deps
  const limits = { rates: deps.rateLimits }
  const known = new Map<string, Known>()
  const remember = (credential: string, caller: Known) => {
    known.delete(credential)
    known.set(credential, caller)
    const [first] = known
    if (known.size > maxKnown && first) known.delete(first[0])
  }
  const take = (reply: FastifyReply, buckets: readonly Bucket[]) => {
    if (!isSome(buckets)) return
    const taken = rates.take(buckets)
    tell(reply, buckets, taken)
    if (!taken.isAllowed) throw refusal(taken)
  }
  /** Refuses what can be refused before anybody is asked who calls. */
  const checkAhead = (reply: FastifyReply, buckets: readonly Bucket[]) => {
    if (!isSome(buckets)) return
    const taken = rates.look(buckets)
    if (taken.isAllowed) return
    if (label(taken.bucket) !== 'failures') tell(reply, buckets, taken)
    throw refusal(taken)
  }
  return {
    admit: async (request, reply, find) => {
      const credential = findCredential(request)
      const failures = failureBucket(limits, request.ip)
      const caller = credential === undefined ? undefined : known.get(credential)
      await inFlight.enter(caller?.holder ?? toAddressHolder(request.ip), request, reply)
      if (credential !== undefined) checkAhead(reply, caller?.buckets ?? [failures])
      try {
        const principal = await find()
        const buckets = listBuckets(limits, principal, request.ip)
        if (credential !== undefined && principal.kind !== 'public')
          remember(credential, { holder: toHolder(principal), buckets })
        take(reply, buckets)
        return principal
      } catch (error) {
        if (credential !== undefined && error instanceof ApiError && error.kind === 'unauthorized') {
          known.delete(credential)
          rates.take([failures])
        }
        throw error
      }
    },
  }
}
