import { retrySeconds } from '../../api/errors.ts'
import { ApiError } from '../../shared/errors.ts'
import { isDatabaseUnavailable } from '../../storage/database-errors.ts'

/** A call with a temporary refusal is made at most this often. The model sees the last refusal. */
export const maxTries = 5
const maxWaitSeconds = 30

/** True for the error of a call that stays open and is made once more, under the same key. */
export const isRepeated = (error: unknown, isLastTry: boolean): boolean =>
  isDatabaseUnavailable(error) || (!isLastTry && findRetrySeconds(error) !== undefined)

/** The wait before repeating a call with a temporary refusal: its Brain is busy, or a rate is used up. */
export const findRetrySeconds = (error: unknown): number | undefined => {
  const seconds = error instanceof ApiError ? retrySeconds(error) : undefined
  return seconds !== undefined && seconds <= maxWaitSeconds ? seconds : undefined
}
