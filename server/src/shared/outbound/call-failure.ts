type Extras = { isRetryable?: boolean; isPostponed?: boolean }

/**
 * A failed call, with a reason that reveals nothing about this network. `isPostponed`: the call was not made, because the
 * maximum number is running; try again soon. `isRetryable`: the same call may succeed a little later.
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
