import { setImmediate } from 'node:timers/promises'
import type { NewEvent } from '@noema/contracts/events.ts'
import type { Db, RunPrepared } from '../../../storage/database.ts'
import type { FoundContent } from '../../knowledge/content-text/content-text.ts'
import type { FindLanguage } from '../terms/terms.ts'
import type { SegmentColumns } from './bm25.ts'
import { type PlacedVersion, selectVersions } from './indexing-queries.ts'
import { countableTimes, type Postings } from './postings.ts'
import { readStreamBatch, toSubjects } from './read-stream.ts'
import { type Passage, splitVersion, type TermCounts, unpackVersion } from './split-version.ts'

/** A passage that is not indexed yet, with its terms, its item, and the position of its event. */
export type UnindexedPassage = { position: number; passage: Passage; counts: TermCounts; item: FoundContent }

/** The length of the unindexed end of the stream that is searched, and the amount of it that one search reads. */
const limits = { maxEvents: 1_000, maxCharacters: 300_000, maxVersionLength: 200_000 }

/** The maximum of milliseconds that the main thread works at a time. */
const maxMilliseconds = 10

/** Splits a version in steps that let the thread do other work in between. False where that fails: it is not searched. */
const splitInto = async (
  read: UnindexedPassage[],
  { position, ...packed }: PlacedVersion,
  findLanguage: FindLanguage,
): Promise<boolean> => {
  const before = read.length
  try {
    let until = performance.now() + maxMilliseconds
    const version = unpackVersion(packed)
    for (const split of splitVersion(version, findLanguage)) {
      read.push({ position, ...split, item: version.item })
      if (performance.now() < until) continue
      await setImmediate()
      until = performance.now() + maxMilliseconds
    }
    return true
  } catch {
    read.length = before
    return false
  }
}

/** Content as it would be after events that are not in the stream. */
export type AddedPassages = {
  passages: readonly UnindexedPassage[]
  /** The number of versions that are too long to be searched, or are left out because those before them are. */
  missing: number
}

/** Reads the versions that events would make from a source that has them. */
export const readAdded = async (
  { db }: { db: Db },
  brainId: number,
  { events, position }: { events: readonly NewEvent[]; position: number },
): Promise<AddedPassages> => {
  const begun = toSubjects(events, position).filter(({ began }) => began)
  if (begun.length === 0) return { passages: [], missing: 0 }
  const { versions, tooLong, upTo } = await selectVersions(db, brainId, begun, limits)
  const passages: UnindexedPassage[] = []
  const { detectLanguage } = await import('../terms/languages.ts')
  let missing = tooLong + (upTo === undefined ? 0 : begun.filter((subject) => subject.position > upTo).length)
  for (const version of versions) if (!(await splitInto(passages, version, detectLanguage))) missing++
  return { passages, missing }
}

/**
 * The end of a Brain's stream that is not indexed yet, searched without an index: content is found a moment after it was
 * written. A node keeps the passages that it read, so each search reads only new events.
 */
export class Unindexed {
  /** The stream was read from after this position … */
  begin = 0
  /** … up to this one. */
  end = 0
  passages: readonly UnindexedPassage[] = []
  /** The number of versions in between that are too long to be searched here, or cannot be split. */
  tooLong = 0

  /** The approximate memory, in bytes. */
  get size(): number {
    return (
      500 + this.passages.reduce((size, { passage, counts }) => size + passage.text.length * 2 + counts.size * 80, 0)
    )
  }

  /** Reads on up to the stream's head, from the position of the index. */
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
    const read: UnindexedPassage[] = []
    const { detectLanguage } = await import('../terms/languages.ts')
    for (const version of batch.versions) if (!(await splitInto(read, version, detectLanguage))) this.tooLong++
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

/** Beyond every state: the end of a passage that has none. */
const never = 0xffffffff

/** The columns of unindexed passages, numbered from `base`. */
export const toSegmentColumns = (unindexed: readonly UnindexedPassage[], base: number): SegmentColumns => ({
  base,
  terms: Uint16Array.from(unindexed, ({ passage }) => Math.min(passage.terms, 0xffff)),
  fromStates: Uint32Array.from(unindexed, ({ passage }) => passage.fromState),
  toStates: Uint32Array.from(unindexed, ({ passage }) => passage.toState ?? never),
})

/** The postings of a term, or of any of its variants, in unindexed passages, numbered from `base`; undefined where none has it. */
export const toPostings = (
  unindexed: readonly UnindexedPassage[],
  base: number,
  term: string,
  variants: readonly string[] = [],
): Postings | undefined => {
  const passages: number[] = []
  const times: number[] = []
  let maxTimes = 0
  for (const [index, { counts }] of unindexed.entries()) {
    let count = counts.get(term) ?? 0
    for (const variant of variants) count += counts.get(variant) ?? 0
    if (count === 0) continue
    passages.push(base + index)
    times.push(Math.min(count, countableTimes))
    maxTimes = Math.max(maxTimes, Math.min(count, countableTimes))
  }
  if (passages.length === 0) return undefined
  return { passages: Uint32Array.from(passages), times: Uint8Array.from(times), maxTimes }
}
