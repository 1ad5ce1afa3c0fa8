import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import type { WaitCall } from '../../api/binding.ts'
import { ApiError } from '../../shared/errors.ts'
import { readWaitSeconds } from '../request/handling.ts'
import { findHolder } from '../request/read-request.ts'

// A request that waits for the end of what it began (`Prefer: wait`) is open for as long as an event stream may be, so it has a
// place among those, and gives back its place among the requests that are worked on.

/** A place for a request that waits; undefined where its key or organization has as many as it may. */
const takePlace = ({ open }: AppDeps, request: FastifyRequest): (() => void) | undefined => {
  try {
    return open.take('streams', findHolder(request))
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'rate_limited') return undefined
    throw error
  }
}

/** What a request says of waiting, to an endpoint that begins something. */
export const findWait = (
  deps: AppDeps,
  endpoint: Endpoint,
  { request, untilGone }: { request: FastifyRequest; untilGone: () => AbortSignal },
): WaitCall | undefined => {
  const wanted = endpoint.jsonRpc ? maxWaitSeconds : readWaitSeconds(request.headers.prefer)
  const seconds = endpoint.wait ? wanted : undefined
  if (seconds === undefined || seconds === 0) return undefined
  return {
    begin: (maxSeconds = seconds) => {
      const leave = takePlace(deps, request)
      if (!leave) return undefined
      request.leave()
      return {
        signal: AbortSignal.any([AbortSignal.timeout(Math.min(seconds, maxSeconds) * 1000), untilGone()]),
        end: leave,
      }
    },
  }
}

/** Tells which of its preferences a request was given. */
export const tellPreferences = (reply: FastifyReply, applied: { isStrict: boolean; waited: boolean }): void => {
  const names = [...(applied.isStrict ? ['handling=strict'] : []), ...(applied.waited ? ['wait'] : [])]
  if (names.length > 0) reply.header('preference-applied', names.join(', '))
}
