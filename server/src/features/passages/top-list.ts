/** A passage and its score. */
export type Scored = { passage: number; score: number }

/** Keeps the best few of many: a binary heap whose root is the worst of those kept. */
export class TopList {
  readonly #most: number
  readonly #heap: Scored[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** The score that the next must beat to be kept. */
  get threshold(): number {
    return this.#heap.length < this.#most
      ? Number.NEGATIVE_INFINITY
      : (this.#heap[0]?.score ?? Number.NEGATIVE_INFINITY)
  }

  offer(passage: number, score: number): void {
    if (score <= this.threshold) return
    if (this.#heap.length < this.#most) this.#rise(this.#heap.push({ passage, score }) - 1)
    else {
      this.#heap[0] = { passage, score }
      this.#sink(0)
    }
  }

  /** Those kept, the best first, and the older first among equals. */
  sorted(): Scored[] {
    return this.#heap.toSorted((a, b) => b.score - a.score || a.passage - b.passage)
  }

  #score(at: number): number {
    return this.#heap[at]?.score ?? Number.POSITIVE_INFINITY
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#heap[a], this.#heap[b]]
    if (!first || !second) return
    this.#heap[a] = second
    this.#heap[b] = first
  }

  #rise(start: number): void {
    for (let at = start; at > 0; ) {
      const parent = (at - 1) >> 1
      if (this.#score(parent) <= this.#score(at)) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(start: number): void {
    for (let at = start; ; ) {
      const left = at * 2 + 1
      const smaller = this.#score(left + 1) < this.#score(left) ? left + 1 : left
      if (this.#score(smaller) >= this.#score(at)) return
      this.#swap(at, smaller)
      at = smaller
    }
  }
}
