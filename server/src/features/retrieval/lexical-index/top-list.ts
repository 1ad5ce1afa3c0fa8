import type { Scored } from './types.ts'

/**
 * Keeps the best few of many: a binary heap whose root is the worst of those kept, in flat arrays because a search offers
 * a hundred thousand.
 */
export class TopList {
  /** The score that the next one must exceed. */
  threshold = Number.NEGATIVE_INFINITY
  readonly #scores: Float32Array
  readonly #passages: Uint32Array
  #length = 0

  constructor(max: number) {
    this.#scores = new Float32Array(max)
    this.#passages = new Uint32Array(max)
  }

  offer(passage: number, score: number): void {
    if (score <= this.threshold) return
    const isFull = this.#length === this.#scores.length
    if (isFull) this.#sink(passage, score)
    else this.#rise(passage, score)
    if (this.#length === this.#scores.length) this.threshold = this.#scores[0] ?? 0
  }

  /** The kept ones, the best first, and the older first among equals. */
  sorted(): Scored[] {
    return Array.from({ length: this.#length }, (_, at) => ({
      passage: this.#passages[at] ?? 0,
      score: this.#scores[at] ?? 0,
    })).sort((a, b) => b.score - a.score || a.passage - b.passage)
  }

  #set(at: number, passage: number, score: number): void {
    this.#passages[at] = passage
    this.#scores[at] = score
  }

  #copy(from: number, to: number): void {
    this.#set(to, this.#passages[from] ?? 0, this.#scores[from] ?? 0)
  }

  /** Adds one at the end and moves it up past better ones. */
  #rise(passage: number, score: number): void {
    let at = this.#length++
    while (at > 0 && (this.#scores[(at - 1) >> 1] ?? 0) > score) {
      this.#copy((at - 1) >> 1, at)
      at = (at - 1) >> 1
    }
    this.#set(at, passage, score)
  }

  /** Replaces the worst with one and moves it down past worse ones. */
  #sink(passage: number, score: number): void {
    let at = 0
    for (;;) {
      const left = at * 2 + 1
      if (left >= this.#length) break
      const right = left + 1
      const worse = right < this.#length && (this.#scores[right] ?? 0) < (this.#scores[left] ?? 0) ? right : left
      if ((this.#scores[worse] ?? 0) >= score) break
      this.#copy(worse, at)
      at = worse
    }
    this.#set(at, passage, score)
  }
}
