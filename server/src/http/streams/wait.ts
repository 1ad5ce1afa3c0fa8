import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import type { WaitCall } from '../../api/binding.ts'

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
  const seconds = endpoint.jsonRpc ? maxWaitSeconds : preferredSeconds
  if (!endpoint.wait || seconds === undefined || seconds === 0) return undefined
  return {
    begin: (maxSeconds = seconds) => {
      const release = open.tryTake('streams', request.subject)
      if (!release) return undefined
      request.leave()
      return {
        signal: AbortSignal.any([AbortSignal.timeout(Math.min(seconds, maxSeconds) * 1000), untilGone()]),
        end: release,
      }
    },
  }
}
