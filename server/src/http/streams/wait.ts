import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import type { WaitCall } from '../../api/binding.ts'

/** Checks whether a call of an endpoint may wait for a run. */
export const mayWait = ({ wait, openai, method }: Endpoint): boolean =>
  wait === true || (openai === true && method === 'POST')

const limitTime = (signal: AbortSignal, seconds: number): AbortSignal =>
  Number.isFinite(seconds) ? AbortSignal.any([AbortSignal.timeout(seconds * 1000), signal]) : signal

/**
 * Lets a request wait for the end of the work that it starts (`Prefer: wait`). It may stay open as long as an event stream, so it
 * takes a slot for event streams and releases its slot for requests.
 */
export const toWaitCall = (
  { open }: Pick<AppDeps, 'open'>,
  endpoint: Endpoint,
  request: FastifyRequest,
  { preferredSeconds, untilGone }: { preferredSeconds: number | undefined; untilGone: () => AbortSignal },
): WaitCall | undefined => {
  const seconds = endpoint.openai ? Number.POSITIVE_INFINITY : endpoint.jsonRpc ? maxWaitSeconds : preferredSeconds
  if (!mayWait(endpoint) || seconds === undefined || seconds === 0) return undefined
  return {
    begin: (maxSeconds = seconds) => {
      // A call in the format of OpenAI has no other way to be answered.
      const release = (endpoint.openai ? open.take : open.tryTake)('streams', request.subject)
      if (!release) return undefined
      request.leave()
      return {
        signal: limitTime(untilGone(), Math.min(seconds, maxSeconds)),
        end: release,
      }
    },
  }
}
