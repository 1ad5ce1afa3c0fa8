import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { failureBucket, listBuckets, toAddressSubject, toSubject } from '../../access/limits.ts'
import type { Principal } from '../../access/principal.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import { type Bucket, toRateRefusal } from '../../features/platform/rates/rates.ts'
import type { Subject } from '../../shared/concurrency/fair-limiter.ts'

// The rate of a caller's requests (D-09). Every answer reports it, as the IETF's draft "RateLimit header fields for HTTP"
// defines. A caller that was admitted before is refused without a query to the database. Guesses of keys count for their address;
// callers at the same address whose keys are valid do not notice.

/** The part of a request that names its sender. */
type Credential = {
  /** The key; undefined where the header does not have the form of one. */
  token: string | undefined
  /** Its SHA-256 in hexadecimal, by which keys are found and callers are remembered. */
  hash: string
}

/** The token of `Bearer <token>`. */
const findBearer = (authorization: string): string | undefined => /^bearer +(\S+)$/i.exec(authorization.trim())?.[1]

/** The credential of a request, from either header; undefined if it carries none. */
const readCredential = (headers: IncomingHttpHeaders): Credential | undefined => {
  const { authorization } = headers
  const given = authorization ?? headers['x-api-key']
  if (typeof given !== 'string') return undefined
  const token = authorization === undefined ? given : findBearer(authorization)
  return { token, hash: hash('sha256', token ?? given) }
}

/** A caller as the limits see it. */
type Caller = { subject: Subject; buckets: readonly Bucket[]; policy: string; standing: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** The credential, if there is one, and the caller that it admitted before. */
    credential: Credential | undefined
    caller: Caller | undefined
    /** Counts the bytes of a body without a Content-Length; undefined if there is no limit. */
    countBytes: ((bytes: number) => void) | undefined
  }
}

type Some = readonly [Bucket, ...Bucket[]]

/** A body counts as one more request for each of these many bytes. */
const bytesOfRequest = 64 * 1024

/** This many callers are cached by the hash of their credential. This admits no one: each request is authenticated. */
const maxCallers = 10_000

const isSome = (buckets: readonly Bucket[]): buckets is Some => buckets.length > 0

const toPolicy = (buckets: readonly Bucket[]): string =>
  buckets
    .map(({ label, rate: { burst, perSecond } }) => {
      return `"${label}";q=${Math.floor(burst)};w=${Math.max(1, Math.ceil(burst / perSecond))}`
    })
    .join(', ')

/**
 * The number of requests that this one counts as: a large body takes the time of many small ones. Lines count when they are read.
 */
const countRequest = ({ headers }: FastifyRequest): number => {
  const length = headers['content-length']
  if (length === undefined || headers['content-type']?.startsWith('application/x-ndjson')) return 1
  return 1 + Math.floor((Number(length) || 0) / bytesOfRequest)
}

/** The facts that decide an organization's rates, as text: the same text for the same rates. */
const toStanding = (principal: Principal): string => {
  if (principal.kind === 'public') return 'address'
  return principal.organization ? `${principal.organization.tier} ${principal.organization.verified}` : 'none'
}

export type RateLimit = {
  /** The subject of a request before its credential is looked up: a caller that was admitted before, or its address. */
  findSubject(request: FastifyRequest): Subject
  /** Counts the request of a caller that was admitted before, or checks the failures of its address; throws `rate_limited`. */
  countAhead(request: FastifyRequest, reply: FastifyReply, now: Date): void
  /** The caller of a request; counts the request unless `countAhead` did. Throws `rate_limited`. */
  count(request: FastifyRequest, reply: FastifyReply, principal: Principal, now: Date): Caller
  /** Counts a refused credential. */
  countFailure(request: FastifyRequest, now: Date): void
}

export const createRateLimit = ({ rates, limits, clock }: Pick<AppDeps, 'rates' | 'limits' | 'clock'>): RateLimit => {
  const callers = new LRUCache<string, Caller>({ max: maxCallers })
  const take = (request: FastifyRequest, reply: FastifyReply, { buckets, policy }: Caller, now: Date): void => {
    if (!isSome(buckets)) return
    const taken = rates.take(buckets, now, countRequest(request))
    reply.header('ratelimit-policy', policy)
    reply.header('ratelimit', `"${taken.bucket.label}";r=${taken.left};t=${taken.seconds}`)
    if (!taken.isAllowed) throw toRateRefusal(taken)
    if (request.headers['transfer-encoding'] === undefined) return
    request.countBytes = (bytes) => {
      const counted = rates.take(buckets, clock.now(), bytes / bytesOfRequest)
      if (!counted.isAllowed) throw toRateRefusal(counted)
    }
  }
  const toCaller = (request: FastifyRequest, principal: Principal, standing: string): Caller => {
    const isPublic = principal.kind === 'public'
    const subject = isPublic ? toAddressSubject(request.ip) : toSubject(principal)
    const of = isPublic ? 'address' : (principal.organization ?? 'none')
    const buckets = listBuckets(limits, subject, of)
    return { subject, buckets, policy: toPolicy(buckets), standing }
  }
  return {
    findSubject: (request) => {
      request.credential = readCredential(request.headers)
      if (request.credential) request.caller = callers.get(request.credential.hash)
      return request.caller?.subject ?? toAddressSubject(request.ip)
    },
    countAhead: (request, reply, now) => {
      if (request.caller) return take(request, reply, request.caller, now)
      if (request.credential === undefined) return
      const failures = rates.peek([failureBucket(limits, request.ip)], now)
      if (!failures.isAllowed) throw toRateRefusal(failures)
    },
    count: (request, reply, principal, now) => {
      const { caller: known, credential } = request
      const standing = toStanding(principal)
      if (known?.standing === standing) return known
      const caller = toCaller(request, principal, standing)
      if (credential !== undefined && principal.kind !== 'public') callers.set(credential.hash, caller)
      if (!known) take(request, reply, caller, now)
      return caller
    },
    countFailure: (request, now) => {
      if (request.credential === undefined) return
      callers.delete(request.credential.hash)
      rates.take([failureBucket(limits, request.ip)], now)
    },
  }
}
