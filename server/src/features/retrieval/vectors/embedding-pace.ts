import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../shared/clock.ts'

/** Work of a Brain that was done without a long pause: since when, until when, and how many passages. */
type Span = { since: number; until: number; passages: number }

/** A pause after which earlier work says nothing about the pace of now. */
const maxPauseMilliseconds = 60_000
const maxBrains = 1_000

/** The speed at which this node embeds the passages of each Brain, from its last minutes. Other nodes may do more. */
export class EmbeddingPace {
  readonly #clock: Clock
  readonly #spans = new LRUCache<number, Span>({ max: maxBrains })

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs a turn that embeds passages of a Brain, and counts them. */
  async measure<Result>(
    brainId: number,
    turn: () => Promise<Result>,
    count: (result: Result) => number,
  ): Promise<Result> {
    const startedAt = this.#clock.now().getTime()
    const result = await turn()
    const passages = count(result)
    const until = this.#clock.now().getTime()
    const known = this.#spans.get(brainId)
    const isOngoing = known !== undefined && startedAt - known.until <= maxPauseMilliseconds
    if (passages > 0)
      this.#spans.set(
        brainId,
        isOngoing
          ? { since: known.since, until, passages: known.passages + passages }
          : { since: startedAt, until, passages },
      )
    return result
  }

  /** The seconds that so many passages of a Brain will take, at least 1; null where that is unknown. */
  secondsFor(brainId: number, passages: number): number | null {
    const known = this.#spans.get(brainId)
    if (!known || this.#clock.now().getTime() - known.until > maxPauseMilliseconds) return null
    const milliseconds = ((known.until - known.since) / known.passages) * passages
    return milliseconds > 0 ? Math.max(1, Math.round(milliseconds / 1_000)) : null
  }
}
