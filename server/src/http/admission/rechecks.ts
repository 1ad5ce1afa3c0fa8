import type { FastifyRequest } from 'fastify'
import { createBatcher } from '../../shared/concurrency/batcher.ts'
import { ApiError } from '../../shared/errors.ts'

const maxRequests = 200

/** True if a caller is admitted; undefined if that is unknown at the moment, as in an outage. */
const isAdmitted = (admission: Promise<void>): Promise<boolean | undefined> =>
  admission.then(
    () => true,
    (error: unknown) => {
      const isPassing = !(error instanceof ApiError) || error.kind === 'rate_limited' || error.kind === 'unavailable'
      return isPassing ? undefined : false
    },
  )

/** Everything that identifies the caller of a request and the Brain that it acts on. */
const toCaller = ({ headers, params }: FastifyRequest): string =>
  JSON.stringify([
    ...[headers.authorization, headers['x-api-key'], headers.cookie],
    ...[headers['x-organization-id'], headers.origin, headers.referer, params],
  ])

/**
 * Checks whether callers whose requests are still being answered may still do what they asked for. Checks that come together run
 * together, one for all requests of a caller.
 */
export const createRechecks = (admit: (request: FastifyRequest) => Promise<void>) => {
  const batcher = createBatcher<FastifyRequest, boolean | undefined>({
    run: (requests) => Promise.all(requests.map((request) => isAdmitted(admit(request)))),
    maxItems: maxRequests,
    toKey: toCaller,
  })
  return (request: FastifyRequest): Promise<boolean | undefined> => batcher.add(request)
}
