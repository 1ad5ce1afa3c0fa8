import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { SegmentColumns } from './bm25.ts'
import { packedPassage, selectEndsAfter, selectPacked } from './search-queries.ts'
import { neighbourSlots, neighboursEachWay } from './types.ts'

/** Beyond every state: the end of a passage that has none. */
const never = 0xffffffff
const rowsAtOnce = 50_000

/** The maximum of passages of a sequence that are examined each way for neighbours: many versions may have ended. */
const maxExamined = 24

const grown = <A extends Uint32Array | Float64Array | Uint16Array>(array: A, length: number): A => {
  if (array.length >= length) return array
  const Kind = array.constructor as new (size: number) => A
  const larger = new Kind(Math.max(length, Math.ceil(array.length * 1.5), 64))
  larger.set(array)
  return larger
}

/** The passages of a conversation or document, in its order where they are sorted. */
type Sequence = { passages: number[]; isSorted: boolean }

/**
 * The columns of every passage of a Brain that ranking needs, in memory: 36 bytes each. They follow the index, never past the
 * position that a reader requested. Ends are hints here; whether a version is live is read with the answer.
 */
export class PassageColumns {
  /** The number of passages, which are numbered from 1 without gaps. */
  count = 0
  /** The position of the stream up to which ends are read. */
  endsUntil = 0
  /** All terms of all passages. */
  totalTerms = 0
  /** The columns that scoring reads. They are replaced where they grow. */
  segment: SegmentColumns = {
    base: 0,
    terms: new Uint16Array(0),
    fromStates: new Uint32Array(0),
    toStates: new Uint32Array(0),
  }
  #ordinals = new Uint16Array(0)
  #places = new Float64Array(0)
  #toSequence = new Uint32Array(0)
  readonly #sequenceNumbers = new Map<bigint, number>()
  readonly #sequences: Sequence[] = []
  /** The index of each passage in its sequence, once that is sorted. */
  #indexIn = new Uint32Array(0)

  /** About how much memory they take, in bytes. */
  get size(): number {
    return this.segment.terms.length * 28 + this.#sequences.length * 200 + this.count * 8 + 1_000
  }

  /** The passages with which the versions of these begin: the same for all passages of a version. */
  findFirst(passages: readonly number[]): number[] {
    return passages.map((passage) => passage - (this.#ordinals[passage] ?? 0))
  }

  /** The passage with which the version that begins with this one ends. */
  findLast(first: number): number {
    let last = first
    while (last < this.count && (this.#ordinals[last + 1] ?? 0) > 0) last++
    return last
  }

  /**
   * The neighbours of each of these passages in its conversation or document, of those up to a last one that are valid in a
   * state: the nearest three before it and then the nearest three after it, 0 where there is none.
   */
  findNeighbours(passages: readonly number[], within: { lastPassage: number; state: number }): Uint32Array {
    const found = new Uint32Array(passages.length * neighbourSlots)
    for (const [index, passage] of passages.entries()) {
      const number = passage > within.lastPassage ? 0 : (this.#toSequence[passage] ?? 0)
      const sequence = number === 0 ? undefined : this.#sequences[number - 1]
      if (!sequence) continue
      if (!sequence.isSorted) this.#sort(sequence)
      const at = this.#indexIn[passage] ?? 0
      const from = index * neighbourSlots
      this.#findValid(sequence.passages, { at, step: -1, ...within }, found, from)
      this.#findValid(sequence.passages, { at, step: 1, ...within }, found, from + neighboursEachWay)
    }
    return found
  }

  /** Finds the nearest valid passages in a direction. */
  #findValid(
    passages: readonly number[],
    { at, step, lastPassage, state }: { at: number; step: number; lastPassage: number; state: number },
    found: Uint32Array,
    from: number,
  ): void {
    const { fromStates, toStates } = this.segment
    let count = 0
    for (let index = at + step, left = maxExamined; left > 0 && count < neighboursEachWay; index += step, left--) {
      const passage = passages[index]
      if (passage === undefined) return
      const isValid = (fromStates[passage] ?? never) <= state && (toStates[passage] ?? 0) > state
      if (isValid && passage <= lastPassage) found[from + count++] = passage
    }
  }

  #sort(sequence: Sequence): void {
    sequence.passages.sort((a, b) => {
      const byPlace = (this.#places[a] ?? 0) - (this.#places[b] ?? 0)
      return byPlace || (this.#ordinals[a] ?? 0) - (this.#ordinals[b] ?? 0) || a - b
    })
    for (const [at, passage] of sequence.passages.entries()) this.#indexIn[passage] = at
    sequence.isSorted = true
  }

  /** Adds the passages that come next, packed by the database. */
  add(packed: Buffer): void {
    const added = packed.length / packedPassage.bytes
    this.#reserve(this.count + added + 1)
    for (let at = 0; at < packed.length; at += packedPassage.bytes) this.#addOne(packed, at)
  }

  #reserve(length: number): void {
    const { terms, fromStates, toStates } = this.segment
    this.segment = {
      base: 0,
      terms: grown(terms, length),
      fromStates: grown(fromStates, length),
      toStates: grown(toStates, length),
    }
    this.#ordinals = grown(this.#ordinals, length)
    this.#places = grown(this.#places, length)
    this.#toSequence = grown(this.#toSequence, length)
    this.#indexIn = grown(this.#indexIn, length)
  }

  #addOne(packed: Buffer, at: number): void {
    const passage = ++this.count
    const terms = packed.readUInt32BE(at + packedPassage.terms)
    const sequence = packed.readBigInt64BE(at + packedPassage.sequence)
    this.totalTerms += terms
    this.segment.terms[passage] = Math.min(terms, 0xffff)
    this.#ordinals[passage] = Math.min(packed.readUInt32BE(at + packedPassage.ordinal), 0xffff)
    this.segment.fromStates[passage] = Number(packed.readBigInt64BE(at + packedPassage.fromState))
    this.end(passage, Number(packed.readBigInt64BE(at + packedPassage.toState)) || never)
    this.#places[passage] = Number(packed.readBigInt64BE(at + packedPassage.place))
    if (sequence !== 0n) this.#join(passage, sequence)
  }

  #join(passage: number, hash: bigint): void {
    const number = this.#sequenceNumbers.get(hash) ?? this.#sequences.length + 1
    this.#sequenceNumbers.set(hash, number)
    const sequence = this.#sequences[number - 1] ?? { passages: [], isSorted: false }
    this.#sequences[number - 1] = sequence
    sequence.passages.push(passage)
    sequence.isSorted = false
    this.#toSequence[passage] = number
  }

  end(passage: number, toState: number): void {
    this.segment.toStates[passage] = toState
  }
}

/** Reads what the columns of a Brain lack of its index. */
export const refreshColumns = async (
  db: Db,
  brainId: number,
  columns: PassageColumns,
  { position, lastPassage }: { position: number; lastPassage: number },
): Promise<void> => {
  // Ends of the present passages come first: new passages are read with their ends.
  if (columns.endsUntil < position && columns.count > 0) {
    const ends = await selectEndsAfter(db, brainId, columns.endsUntil)
    for (const { passage, toState } of ends) if (passage <= columns.count) columns.end(passage, toState)
  }
  while (columns.count < lastPassage) {
    const packed = await selectPacked(db, brainId, columns.count, Math.min(lastPassage, columns.count + rowsAtOnce))
    if (packed.length === 0) throw notFound('This Brain does not exist: it was deleted.')
    columns.add(packed)
  }
  columns.endsUntil = Math.max(columns.endsUntil, position)
}
