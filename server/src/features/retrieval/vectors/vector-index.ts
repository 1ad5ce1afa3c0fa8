import type { AcceptedPassages } from '../lexical-index/types.ts'
import { countDifferences, multiply } from './kernel.ts'

// The vectors of one Brain in memory. Few vectors are compared exactly. Of many, the signs of the dimensions select those near
// enough to compare: nearly as good as exact, a tenth of the work, and without an index to build, so that vectors are found as soon
// as they are added, and a search can leave out any passage.

/** A passage near to a query, and the cosine of the two vectors. */
export type NearPassage = { passage: number; similarity: number }

/** Checks whether the search may answer a passage. */
export const isAccepted = (
  { lastPassage, state, fromStates, toStates, filter }: AcceptedPassages,
  passage: number,
): boolean =>
  passage <= lastPassage &&
  (fromStates[passage] ?? 0) <= state &&
  (toStates[passage] ?? 0) > state &&
  filter?.[passage] !== 0

const minBlockRows = 64
const maxBlockRows = 4_096

/** The number of vectors up to which all are compared. */
const maxComparedAll = 16_384
/** The number of vectors that are compared for each requested one, and the minimum. */
const comparedForEach = 16
const minCompared = 2_048

type Block = {
  length: number
  passages: Float64Array
  values: Int8Array
  /** One divided by the length of each vector. */
  scales: Float32Array
  /** One bit of each dimension: whether it is above zero. */
  signs: Uint32Array
  /** The number of signs that differ from those of the query: each search writes it. */
  distances: Uint16Array
}

const measureLength = (vector: Int8Array): number => {
  let sum = 0
  for (const value of vector) sum += value * value
  return Math.sqrt(sum)
}

const packSigns = (vector: ArrayLike<number>, into: Uint32Array): Uint32Array => {
  for (let axis = 0; axis < vector.length; axis++)
    if ((vector[axis] ?? 0) > 0) into[axis >>> 5] = (into[axis >>> 5] ?? 0) | (1 << (axis & 31))
  return into
}

/** The distance within which there are so many vectors, by the counts of each distance. */
const findLimit = (counts: Uint32Array, requested: number): number => {
  let limit = 0
  for (let within = counts[0] ?? 0; within < requested && limit < counts.length - 1; within += counts[limit] ?? 0)
    limit++
  return limit
}

type Row = { block: Block; row: number }

/** A vector in 8 bits per number, scaled to use all of them: only its direction matters. */
export const quantize = (vector: Float32Array): Int8Array => {
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  return Int8Array.from(vector, (value) => Math.round((value * 127) / (largest || 1)))
}

/** The vectors of one Brain and one space. Passages are added in the order of their numbers. */
export class VectorIndex {
  readonly dimensions: number
  readonly #words: number
  readonly #blocks: Block[] = []
  /** The number of vectors. */
  size = 0
  /** The passage that was added last; 0 where there is none. */
  newest = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#words = Math.ceil(dimensions / 128) * 4
  }

  /** Its memory in bytes. */
  get bytes(): number {
    const ofRow = 8 + this.dimensions + 4 + 4 * this.#words + 2
    return this.#blocks.reduce((sum, { passages }) => sum + passages.length * ofRow, 0)
  }

  /** Adds vectors, which follow each other in `vectors`, with the numbers of their passages. */
  add(passages: readonly number[], vectors: Int8Array): void {
    for (const [at, passage] of passages.entries()) {
      const vector = vectors.subarray(at * this.dimensions, (at + 1) * this.dimensions)
      const block = this.#roomyBlock()
      const row = block.length++
      this.size++
      this.newest = passage
      block.passages[row] = passage
      block.values.set(vector, row * this.dimensions)
      block.scales[row] = 1 / (measureLength(vector) || 1)
      packSigns(vector, block.signs.subarray(row * this.#words, (row + 1) * this.#words))
    }
  }

  /** The cosines of a vector and those of passages, in their order; NaN where a passage has none here. */
  compare(vector: Float32Array, passages: readonly number[]): Float64Array {
    const found = passages.map((passage) => this.#find(passage))
    const similarities = this.#compare(
      vector,
      found.filter((row) => row !== undefined),
    )
    let at = 0
    return Float64Array.from(found, (row) => (row ? (similarities[at++] ?? Number.NaN) : Number.NaN))
  }

  /** The vectors of passages, of length 1, in their order; undefined where a passage has none here. */
  findVectors(passages: readonly number[]): (Float32Array | undefined)[] {
    return passages.map((passage) => {
      const found = this.#find(passage)
      if (!found) return undefined
      const { values, scales } = found.block
      const from = found.row * this.dimensions
      const scale = scales[found.row] ?? 0
      return Float32Array.from(values.subarray(from, from + this.dimensions), (value) => value * scale)
    })
  }

  /** The accepted passages that are nearest to a vector of length 1; the nearest first. */
  findNearest(vector: Float32Array, count: number, accepted: AcceptedPassages): NearPassage[] {
    const counts = this.#measure(vector, accepted.filter)
    const requested = Math.max(minCompared, count * comparedForEach)
    let rows: Row[] = []
    // If many are not accepted, vectors farther away are compared as well.
    for (let within = requested, limit = -1; rows.length < requested / 2 && limit < this.dimensions; within *= 4) {
      limit = findLimit(counts, within)
      rows = this.#findWithin(limit, accepted)
    }
    const similarities = this.#compare(vector, rows)
    // Numbers alone are sorted much faster than objects.
    const minSimilarity = similarities.toSorted().at(-count) ?? -1
    return rows
      .map(({ block, row }, index) => ({ passage: block.passages[row] ?? 0, similarity: similarities[index] ?? 0 }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .sort((one, other) => other.similarity - one.similarity || one.passage - other.passage)
      .slice(0, count)
  }

  /**
   * Counts the signs of each vector that differ from those of this one, or 0 if the vectors are few; returns the number of passages
   * that pass the filter at each distance.
   */
  #measure(vector: Float32Array, filter: Uint8Array | undefined): Uint32Array {
    const signs = packSigns(vector, new Uint32Array(this.#words))
    const counts = new Uint32Array(this.dimensions + 1)
    for (const { signs: rows, passages, distances, length } of this.#blocks) {
      if (this.size <= maxComparedAll) distances.fill(0)
      else countDifferences(signs, rows, distances, length)
      for (let row = 0; row < length; row++) {
        if (filter?.[passages[row] ?? 0] === 0) continue
        const distance = distances[row] ?? 0
        counts[distance] = (counts[distance] ?? 0) + 1
      }
    }
    return counts
  }

  #findWithin(limit: number, accepted: AcceptedPassages): Row[] {
    const rows: Row[] = []
    for (const block of this.#blocks) {
      const { distances, passages, length } = block
      for (let row = 0; row < length; row++)
        if ((distances[row] ?? 0) <= limit && isAccepted(accepted, passages[row] ?? 0)) rows.push({ block, row })
    }
    return rows
  }

  /** The cosines of a vector of length 1 and those of rows. */
  #compare(vector: Float32Array, rows: readonly Row[]): Float32Array {
    const { dimensions } = this
    const products = multiply(vector, rows.length, (number, into, at) => {
      const { block, row } = rows[number] as Row
      into.set(block.values.subarray(row * dimensions, (row + 1) * dimensions), at)
    })
    for (const [index, { block, row }] of rows.entries())
      products[index] = (products[index] ?? 0) * (block.scales[row] ?? 0)
    return products
  }

  /** The block for the next vector: blocks grow with the Brain, so that a small Brain takes little memory. */
  #roomyBlock(): Block {
    const last = this.#blocks.at(-1)
    if (last && last.length < last.passages.length) return last
    const rows = Math.min(maxBlockRows, Math.max(minBlockRows, this.size >>> 2))
    const block = {
      length: 0,
      passages: new Float64Array(rows),
      values: new Int8Array(rows * this.dimensions),
      scales: new Float32Array(rows),
      signs: new Uint32Array(rows * this.#words),
      distances: new Uint16Array(rows),
    }
    this.#blocks.push(block)
    return block
  }

  #find(passage: number): Row | undefined {
    const block = this.#blocks.findLast(({ passages }) => (passages[0] ?? 0) <= passage)
    if (!block) return undefined
    // Few passages have no vector, so the row is mostly the difference of the numbers.
    const likely = passage - (block.passages[0] ?? 0)
    if (likely < block.length && block.passages[likely] === passage) return { block, row: likely }
    let [low, high] = [0, block.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((block.passages[middle] ?? 0) < passage) low = middle + 1
      else high = middle
    }
    return low < block.length && block.passages[low] === passage ? { block, row: low } : undefined
  }
}
