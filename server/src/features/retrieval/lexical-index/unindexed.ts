import type { Db, RunPrepared } from '../../../storage/database.ts'
import { type Passage, passagesOf, type TermCounts } from './build-segment.ts'
import { readStretch } from './read-stream.ts'

/** A passage that is younger than the index, with its terms. */
export type YoungPassage = { place: number; passage: Passage; counts: TermCounts }

/** How far back from its end the stream is searched where it is not indexed, and how much of it is read for one search. */
const reach = { mostEvents: 1_000, mostCharacters: 300_000, longest: 200_000 }

/**
 * The end of a Brain's stream that is not indexed yet, searched as it stands: what was written a moment ago is found. A
 * node keeps what it has read, so each search reads only what is new.
 */
export class Tail {
  /** The stream is known from after this position … */
  begin = 0
  /** … up to this one. */
  end = 0
  passages: readonly YoungPassage[] = []
  #tooLong = 0

  get size(): number {
    return (
      500 + this.passages.reduce((size, { passage, counts }) => size + passage.text.length * 2 + counts.size * 80, 0)
    )
  }

  /** Brings it up to the stream's head, from where the index is. */
  async refresh(
    deps: { db: Db; prepared: RunPrepared },
    brainId: number,
    { head, position }: { head: number; position: number },
  ): Promise<void> {
    const begin = Math.max(position, head - reach.mostEvents)
    if (this.end < begin || this.begin > begin) this.#startAt(begin)
    if (this.begin < begin) {
      this.begin = begin
      if (begin === this.end) this.#tooLong = 0
      this.passages = this.passages.filter(({ place }) => place > begin)
    }
    if (this.end >= head) return
    const stretch = await readStretch(deps, brainId, { ...reach, after: this.end })
    const read = stretch.versions.flatMap((version) =>
      [...passagesOf(version)].map((young) => ({ place: version.place, ...young })),
    )
    this.passages = [...this.passages, ...read]
    this.#tooLong += stretch.tooLong
    this.end = stretch.position
  }

  #startAt(begin: number): void {
    this.begin = begin
    this.end = begin
    this.passages = []
    this.#tooLong = 0
  }

  /** How many events are searched neither here nor in the index. */
  missing({ head, position }: { head: number; position: number }): number {
    return Math.max(0, this.begin - position) + Math.max(0, head - this.end) + this.#tooLong
  }
}
