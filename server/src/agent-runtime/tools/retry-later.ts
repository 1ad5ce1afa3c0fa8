import { retrySeconds } from '../../api/errors.ts'
import { ApiError } from '../../shared/errors.ts'

/** How often a call that is refused for the moment is made in all. The model sees the last refusal. */
export const maxTries = 5
const maxWaitSeconds = 30

/** How long to wait before making a call again, if it was refused for a moment only: its Brain is busy, or a rate is used up. */
export const findRetrySeconds = (error: unknown): number | undefined => {
  const seconds = error instanceof ApiError ? retrySeconds(error) : undefined
  return seconds !== undefined && seconds <= maxWaitSeconds ? seconds : undefined
}
