import { notFound } from '../../../shared/errors.ts'
import type { Db } from '../../../storage/database.ts'
import type { Shelf } from './bm25.ts'
import { packedPassage, selectNotedEnds, selectPacked } from './search-queries.ts'

/** Beyond every state: where a passage has no end. */
const never = 0xffffffff
const rowsAtOnce = 50_000

/** How many passages each way count as being around another. */
export const neighboursEachWay = 3
const mostLookedAt = 24

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
 * What ranking needs of every passage of a Brain, in memory: 36 bytes each. It is brought up to the index as that moves on,
 * never past what a reader asked for. Ends are hints here; whether a version is live is read with the answer.
 */
export class PassageTable {
  /** Passages known, which are numbered from 1 without gaps. */
  count = 0
  /** Up to where in the stream ends are known. */
  noted = 0
  /** All terms of all passages. */
  totalTerms = 0
  #terms = new Uint16Array(0)
  #ordinals = new Uint16Array(0)
  #fromStates = new Uint32Array(0)
  #toStates = new Uint32Array(0)
  #places = new Float64Array(0)
  #sequenceOf = new Uint32Array(0)
  readonly #sequenceNumbers = new Map<bigint, number>()
  readonly #sequences: Sequence[] = []
  /** Where each passage stands in its sequence, once that is sorted. */
  #placeIn = new Uint32Array(0)

  /** About how much memory it takes, in bytes. */
  get size(): number {
    return this.#terms.length * 28 + this.#sequences.length * 200 + this.count * 8 + 1_000
  }

  /** The passages in flat arrays, for scoring. */
  get shelf(): Shelf {
    return { base: 0, terms: this.#terms, fromStates: this.#fromStates, toStates: this.#toStates }
  }

  /** The passage with which the version of this one begins: the same for all passages of a version. */
  first(passage: number): number {
    return passage - (this.#ordinals[passage] ?? 0)
  }

  /** Whether the version was valid in a state, as far as is known here. */
  isValidAt(passage: number, state: number): boolean {
    return (this.#fromStates[passage] ?? never) <= state && (this.#toStates[passage] ?? 0) > state
  }

  /**
   * The passages around this one in its conversation or document, of those valid in a state: the nearest three before it
   * and then the nearest three after it, 0 where there is none.
   */
  neighbours(passage: number, state: number): number[] {
    const found = new Array<number>(neighboursEachWay * 2).fill(0)
    const number = this.#sequenceOf[passage] ?? 0
    const sequence = number === 0 ? undefined : this.#sequences[number - 1]
    if (!sequence) return found
    if (!sequence.isSorted) this.#sort(sequence)
    const at = this.#placeIn[passage] ?? 0
    this.#findValid(sequence.passages, { at, step: -1, state }, found, 0)
    this.#findValid(sequence.passages, { at, step: 1, state }, found, neighboursEachWay)
    return found
  }

  /** Notes the nearest valid passages in a direction. Where many versions ended there, not all are looked at. */
  #findValid(
    passages: readonly number[],
    { at, step, state }: { at: number; step: number; state: number },
    found: number[],
    from: number,
  ): void {
    let count = 0
    for (let index = at + step, left = mostLookedAt; left > 0 && count < neighboursEachWay; index += step, left--) {
      const passage = passages[index]
      if (passage === undefined) return
      if (this.isValidAt(passage, state)) found[from + count++] = passage
    }
  }

  #sort(sequence: Sequence): void {
    sequence.passages.sort((a, b) => {
      const byPlace = (this.#places[a] ?? 0) - (this.#places[b] ?? 0)
      return byPlace || (this.#ordinals[a] ?? 0) - (this.#ordinals[b] ?? 0) || a - b
    })
    for (const [at, passage] of sequence.passages.entries()) this.#placeIn[passage] = at
    sequence.isSorted = true
  }

  /** Takes in passages that follow those known, packed as the database does. */
  add(packed: Buffer): void {
    const added = packed.length / packedPassage.bytes
    this.#reserve(this.count + added + 1)
    for (let at = 0; at < packed.length; at += packedPassage.bytes) this.#addOne(packed, at)
  }

  #reserve(length: number): void {
    this.#terms = grown(this.#terms, length)
    this.#ordinals = grown(this.#ordinals, length)
    this.#fromStates = grown(this.#fromStates, length)
    this.#toStates = grown(this.#toStates, length)
    this.#places = grown(this.#places, length)
    this.#sequenceOf = grown(this.#sequenceOf, length)
    this.#placeIn = grown(this.#placeIn, length)
  }

  #addOne(packed: Buffer, at: number): void {
    const passage = ++this.count
    const terms = packed.readUInt32BE(at + packedPassage.terms)
    const sequence = packed.readBigInt64BE(at + packedPassage.sequence)
    this.totalTerms += terms
    this.#terms[passage] = Math.min(terms, 0xffff)
    this.#ordinals[passage] = Math.min(packed.readUInt32BE(at + packedPassage.ordinal), 0xffff)
    this.#fromStates[passage] = Number(packed.readBigInt64BE(at + packedPassage.fromState))
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
    this.#sequenceOf[passage] = number
  }

  end(passage: number, toState: number): void {
    this.#toStates[passage] = toState
  }
}

/** Brings a table up to the index. */
export const refreshTable = async (
  db: Db,
  brainId: number,
  table: PassageTable,
  { position, lastPassage }: { position: number; lastPassage: number },
): Promise<void> => {
  // The ends first: those of passages that come after are read with them.
  if (table.noted < position && table.count > 0) {
    const ends = await selectNotedEnds(db, brainId, table.noted)
    for (const { passage, toState } of ends) if (passage <= table.count) table.end(passage, toState)
  }
  while (table.count < lastPassage) {
    const packed = await selectPacked(db, brainId, table.count, Math.min(lastPassage, table.count + rowsAtOnce))
    if (packed.length === 0) throw notFound('This Brain does not exist: it was deleted.')
    table.add(packed)
  }
  table.noted = Math.max(table.noted, position)
}
