import type { Endpoint } from '@noema/contracts/endpoint.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorize, authorizeApp } from '../../access/authorize.ts'
import type { Principal } from '../../access/principal.ts'
import type { AppDeps } from '../../api/app-deps.ts'
import type { ShareLimits, Subject } from '../../shared/concurrency/fair-limiter.ts'
import { ApiError } from '../../shared/errors.ts'
import { type BytePace, type ByteRates, createBytePace } from '../request/byte-pace.ts'
import { reserveBody } from '../request/read-bytes.ts'
import { findCaller } from './app-challenge.ts'
import { createGate } from './gate.ts'
import { createRateLimit } from './rate-limit.ts'
import { createRechecks } from './rechecks.ts'

// Finds the caller of a request and the subject that it counts for, and decides whether it may start now. Each request passes
// here once: first the gate, when it arrives, then its route, which knows the endpoint.

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before the body is read. */
    principal: Principal
    /** The subject that the request counts for. */
    subject: Subject
  }
}

/** Finds the caller of a request, and the Brain that its path names. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>

/** This probe asks whether the process is alive, whatever its load, so it never waits for other requests. */
const probe = '/livez'

/** One statement looks up the keys of many requests. At most this many of them continue in one turn of the event loop. */
const maxResumedInTurn = 8

/** Spreads the requests whose keys one statement found over several turns of the event loop. */
const createTurns = () => {
  const waiting: (() => void)[] = []
  const turns = {
    /** The number of requests that continued in this turn. */
    resumed: 0,
    next: (): void => {
      const resumed = waiting.splice(0, maxResumedInTurn)
      turns.resumed = resumed.length
      for (const resume of resumed) resume()
      if (resumed.length > 0) setImmediate(turns.next)
    },
    wait: (): Promise<void> => new Promise((resolve) => waiting.push(resolve)),
  }
  return turns
}

export type Admission = {
  /** Paces the bytes of files, exports and imports. */
  pace: BytePace
  /** Finds the caller and counts the request; throws if it is refused. */
  admit(request: FastifyRequest, reply: FastifyReply, find: Authenticate): Promise<void>
  /** Admits requests of an endpoint, and checks again those that are answered for a long time. */
  forEndpoint(endpoint: Endpoint): {
    enter(request: FastifyRequest, reply: FastifyReply): Promise<void>
    /** True while the caller may still do this; undefined if that is unknown at the moment. */
    recheck(request: FastifyRequest): Promise<boolean | undefined>
  }
}

type AdmissionEdge = {
  authenticate: Authenticate
  trusted: ReadonlySet<string>
  maxRequests: ShareLimits
  byteRates: ByteRates
  maxWaitMilliseconds: number
}

/** Registers the gate that every request passes, and returns how endpoints admit their callers. */
export const openAdmission = (app: FastifyInstance, deps: AppDeps, edge: AdmissionEdge): Admission => {
  const gate = createGate(edge.maxRequests, edge.maxWaitMilliseconds)
  const rateLimit = createRateLimit(deps)
  const turns = createTurns()
  app.server.on('connection', gate.recordAccepted)
  app.addHook('onRequest', (request, reply, done) => {
    if (request.url === probe) return done()
    request.subject = rateLimit.findSubject(request)
    const waiting = gate.enter(request, reply, request.subject)
    if (waiting !== undefined) waiting.then(() => done(), done)
    else done()
  })
  const admit: Admission['admit'] = async (request, reply, find) => {
    const now = deps.clock.now()
    rateLimit.countAhead(request, reply, now)
    try {
      request.principal = await find(request)
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') rateLimit.countFailure(request, now)
      throw error
    }
    if (turns.resumed === 0) setImmediate(turns.next)
    if (turns.resumed === maxResumedInTurn) await turns.wait()
    else turns.resumed++
    const { subject } = rateLimit.count(request, reply, request.principal, now)
    // The gate saw only the address of a session, and of a key that was not used before.
    if (subject !== request.subject) request.leave.moveTo(subject)
    request.subject = subject
  }
  return {
    pace: createBytePace(edge.byteRates, gate.isShared),
    admit,
    forEndpoint: (endpoint) => {
      const takesBody = endpoint.ndjson !== 'body' && endpoint.file !== 'body'
      const check = async (principal: Principal, { params }: FastifyRequest): Promise<void> => {
        if ('app' in principal) authorizeApp(endpoint, principal)
        await authorize(deps, endpoint, principal, (params as { handle?: string }).handle)
      }
      const find = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        await admit(request, reply, edge.authenticate)
        await check(request.principal, request)
      }
      const enter = findCaller(endpoint, { publicUrl: deps.publicUrl, trusted: edge.trusted }, find)
      return {
        enter: async (request, reply) => {
          await enter(request, reply)
          const { headers } = request
          const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
          if (hasBody && takesBody) reserveBody(deps, request, reply)
        },
        recheck: createRechecks(async (request) => check(await edge.authenticate(request), request)),
      }
    },
  }
}
