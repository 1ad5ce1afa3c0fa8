type Extras = { isRetryable?: boolean; isPostponed?: boolean }

/**
 * Why a call failed, in a sentence that tells nothing of this network. `isPostponed`: it was not made at all, because as many
 * are under way as may be; try again soon. `isRetryable`: the same call may go better a little later.
 */
export class CallFailure extends Error {
  readonly isRetryable: boolean
  readonly isPostponed: boolean

  constructor(message: string, { isPostponed = false, isRetryable = isPostponed }: Extras = {}) {
    super(message)
    this.name = 'CallFailure'
    this.isPostponed = isPostponed
    this.isRetryable = isRetryable
  }
}
