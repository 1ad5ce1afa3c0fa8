import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { SegmentColumns } from './bm25.ts'
import { type Passage, splitVersion, type TermCounts } from './build-segment.ts'
import { countableTimes, type Postings } from './postings.ts'
import { readStreamBatch } from './read-stream.ts'

/** A passage that is not indexed yet, with its terms, and the position of the event that tells of it. */
export type UnindexedPassage = { position: number; passage: Passage; counts: TermCounts }

/** How far back from its end the stream is searched where it is not indexed, and how much of it is read for one search. */
const limits = { maxEvents: 1_000, maxCharacters: 300_000, maxVersionLength: 200_000 }

/**
 * The end of a Brain's stream that is not indexed yet, searched as it stands: what was written a moment ago is found. A
 * node keeps what it has read, so each search reads only what is new.
 */
export class Unindexed {
  /** The stream is known from after this position … */
  begin = 0
  /** … up to this one. */
  end = 0
  passages: readonly UnindexedPassage[] = []
  /** How many versions in between are too long to be searched here. */
  tooLong = 0

  /** About how much memory it takes, in bytes. */
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
    const begin = Math.max(position, head - limits.maxEvents)
    if (this.end < begin || this.begin > begin) this.#startAt(begin)
    if (this.begin < begin) {
      this.begin = begin
      if (begin === this.end) this.tooLong = 0
      this.passages = this.passages.filter((unindexed) => unindexed.position > begin)
    }
    if (this.end >= head) return
    const batch = await readStreamBatch(deps, brainId, { ...limits, after: this.end })
    const read = batch.versions.flatMap((version) =>
      [...splitVersion(version)].map((split) => ({ position: version.position, ...split })),
    )
    this.passages = [...this.passages, ...read]
    this.tooLong += batch.tooLong
    this.end = batch.position
  }

  #startAt(begin: number): void {
    this.begin = begin
    this.end = begin
    this.passages = []
    this.tooLong = 0
  }
}

/** Beyond every state: where a passage has no end. */
const never = 0xffffffff

/** The columns of passages that are not indexed, numbered from `base`. */
export const toSegmentColumns = (unindexed: readonly UnindexedPassage[], base: number): SegmentColumns => ({
  base,
  terms: Uint16Array.from(unindexed, ({ passage }) => Math.min(passage.terms, 0xffff)),
  fromStates: Uint32Array.from(unindexed, ({ passage }) => passage.fromState),
  toStates: Uint32Array.from(unindexed, ({ passage }) => passage.toState ?? never),
})

/** The postings of a term in passages that are not indexed, numbered from `base`; undefined where none holds it. */
export const toPostings = (
  unindexed: readonly UnindexedPassage[],
  base: number,
  term: string,
): Postings | undefined => {
  const passages: number[] = []
  const times: number[] = []
  let maxTimes = 0
  for (const [index, { counts }] of unindexed.entries()) {
    const count = counts.get(term)
    if (count === undefined) continue
    passages.push(base + index)
    times.push(Math.min(count, countableTimes))
    maxTimes = Math.max(maxTimes, Math.min(count, countableTimes))
  }
  if (passages.length === 0) return undefined
  return { passages: Uint32Array.from(passages), times: Uint8Array.from(times), maxTimes }
}
