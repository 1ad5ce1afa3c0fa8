import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toAddressHolder, toHolder } from '../../access/holder.ts'
import type { Principal } from '../../access/principal.ts'
import { failureBucket, listBuckets } from '../../access/rates.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { Bucket, Taken } from '../../features/platform/rates/rates.ts'
import type { Holder } from '../../shared/concurrency/shares.ts'
import { createTurnGate } from '../../shared/concurrency/turn-gate.ts'
import { ApiError, rateLimited } from '../../shared/errors.ts'
import type { InFlight } from './in-flight.ts'

// How many requests a caller may send (D-09), told in every answer as the IETF's draft "RateLimit header fields for HTTP" has
// it. Whoever was let in before is refused without a question to the database, and whoever guesses keys is slowed by their
// address, which others behind it, whose keys are known, do not notice.

/** Who was let in by a credential, as far as limits go. */
type Known = { holder: Holder; buckets: readonly Bucket[] }
declare module 'fastify' {
  interface FastifyRequest {
    /** Counts bytes of a body that did not tell its length; undefined where there is no limit. */
    countBytes: ((bytes: number) => void) | undefined
  }
}

type Some = readonly [Bucket, ...Bucket[]]

/** A body counts as a request for each of these bytes. */
const bytesOfRequest = 64 * 1024

/** How many callers are remembered by the hash of their credential. It lets nobody in: that is asked each time. */
const maxKnown = 10_000

/** The most requests that go on in one turn of the event loop after it was found out who calls: many are looked up at once. */
const maxInTurn = 8

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

const findCredential = ({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined => {
  const given = headers.authorization ?? headers['x-api-key']
  return typeof given === 'string' ? hash('sha256', given) : undefined
}

/** As how many requests one counts: a large body takes the time of many small ones. Lines are counted where they are read. */
const countRequest = ({ headers }: FastifyRequest): number =>
  headers['content-type']?.startsWith('application/x-ndjson')
    ? 1
    : 1 + Math.floor((Number(headers['content-length']) || 0) / bytesOfRequest)

export type RateLimit = {
  /** Finds out who calls by the given function, and takes their request, or throws `rate_limited`. */
  admit(request: FastifyRequest, reply: FastifyReply, find: () => Promise<Principal>): Promise<Principal>
  /** In whose line a request that just arrived stands: of the organization of a credential that was let in before, else of its address. */
  findCaller(request: IncomingMessage): string
}

/** Callers by the hash of their credential; those that came longest ago are forgotten. */
const createKnownCallers = () => {
  const known = new Map<string, Known>()
  return {
    get: (credential: string | undefined): Known | undefined =>
      credential === undefined ? undefined : known.get(credential),
    forget: (credential: string): void => void known.delete(credential),
    remember: (credential: string, caller: Known): void => {
      known.delete(credential)
      known.set(credential, caller)
      const [first] = known
      if (known.size > maxKnown && first) known.delete(first[0])
    },
  }
}

export const createRateLimit = (
  deps: Pick<AppDeps, 'rates' | 'limits'>,
  inFlight: Pick<InFlight, 'enter'>,
): RateLimit => {
  const { rates } = deps
  const { limits } = deps
  const known = createKnownCallers()
  const gate = createTurnGate(maxInTurn)
  const take = (request: FastifyRequest, reply: FastifyReply, buckets: readonly Bucket[]) => {
    if (!isSome(buckets)) return
    const taken = rates.take(buckets, countRequest(request))
    request.countBytes = (bytes) => {
      const counted = rates.take(buckets, bytes / bytesOfRequest)
      if (!counted.isAllowed) throw refusal(counted)
    }
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
    findCaller: (request) =>
      known.get(findCredential(request))?.holder.organization ?? request.socket.remoteAddress ?? '',
    admit: async (request, reply, find) => {
      const credential = findCredential(request)
      const failures = failureBucket(limits, request.ip)
      const caller = known.get(credential)
      await inFlight.enter(caller?.holder ?? toAddressHolder(request.ip), request, reply)
      if (credential !== undefined) checkAhead(reply, caller?.buckets ?? [failures])
      try {
        const principal = await find()
        if (principal.kind !== 'public') await gate.pass(toHolder(principal).organization)
        const buckets = listBuckets(limits, principal, request.ip)
        if (credential !== undefined && principal.kind !== 'public')
          known.remember(credential, { holder: toHolder(principal), buckets })
        take(request, reply, buckets)
        return principal
      } catch (error) {
        if (credential !== undefined && error instanceof ApiError && error.kind === 'unauthorized') {
          known.forget(credential)
          rates.take([failures])
        }
        throw error
      }
    },
  }
}
