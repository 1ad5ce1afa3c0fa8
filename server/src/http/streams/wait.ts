import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { maxWaitSeconds } from '@noema/contracts/runs.ts'
import type { FastifyRequest } from 'fastify'
import type { AppDeps } from '../../api/app-deps.ts'
import type { WaitCall } from '../../api/binding.ts'

/**
 * How a request waits for the end of what it begins (`Prefer: wait`). It is open for as long as an event stream may be, so it takes
 * a slot among those and gives back its slot among the requests that are worked on.
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
