/** The health of background work on this node. */
export type WorkerHealth = {
  name: string
  lastSuccess: Date | undefined
  /** Attempts that failed in a row. */
  consecutiveFailures: number
  /** The kind of the last failure while it lasts; never its text, which may hold anything. */
  lastError: string | undefined
  /** Present if the work runs in leased turns. */
  turns?: TurnFigures
}

export type TurnFigures = {
  /** Running turns. */
  running: number
  /** Keys that will be queried next. */
  pending: number
  /** Age in seconds of the oldest due work, at the last poll. */
  lagSeconds: number
}
