/** How background work fares on this node. */
export type WorkerHealth = {
  name: string
  lastSuccess: Date | undefined
  /** Attempts that failed in a row. */
  consecutiveFailures: number
  /** The kind of the last failure while it lasts; never its text, which may hold anything. */
  lastError: string | undefined
  /** Where the work is done in leased turns. */
  turns?: TurnFigures
}

export type TurnFigures = {
  /** Turns under way. */
  running: number
  /** Keys that are about to be asked for. */
  pending: number
  /** How long what is due has been so, as the last look found it. */
  lagSeconds: number
}
