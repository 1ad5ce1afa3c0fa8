// The vectors of one Brain in memory, searched exactly where they are few. Where they are many, one bit of each dimension
// tells first which are near enough to be looked at whole: nearly as good as exact, a tenth of the work, and nothing to
// build, so that vectors are there as soon as they are added, and any passage can be left out of a search.

/** A passage near to what was searched for, and the cosine of the two vectors. */
export type Found = { passage: number; similarity: number }

const smallestBlock = 64
const largestBlock = 4_096

/** Vectors up to which all are compared. */
const mostCompared = 4_096
/** Vectors that are compared for each one wanted, and in all at least. */
const comparedForEach = 8
const leastCompared = 1_024

type Block = {
  length: number
  passages: Float64Array
  values: Int8Array
  /** One divided by the length of each vector. */
  scales: Float32Array
  /** One bit of each dimension: whether it is above zero. */
  signs: Uint32Array
  /** How many signs differ from those of the vector that is searched for: written anew by each search. */
  distances: Uint16Array
}

/** How many bits of each four are set, in place of those four. */
const countInFours = (word: number): number => {
  const twos = word - ((word >>> 1) & 0x55555555)
  return (twos & 0x33333333) + ((twos >>> 2) & 0x33333333)
}

/** How many signs differ. Three words are summed before their fours are: each of those has room for twelve. */
const countDifferences = (signs: Uint32Array, others: Uint32Array, from: number): number => {
  let count = 0
  for (let word = 0; word < signs.length; word += 3) {
    const fours =
      countInFours((signs[word] ?? 0) ^ (others[from + word] ?? 0)) +
      countInFours((signs[word + 1] ?? 0) ^ (others[from + word + 1] ?? 0)) +
      countInFours((signs[word + 2] ?? 0) ^ (others[from + word + 2] ?? 0))
    count += Math.imul((fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24
  }
  return count
}

/** The product of a vector and a row. Four sums side by side keep the processor busy. */
const multiply = (vector: Float32Array, values: Int8Array, from: number): number => {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let axis = 0; axis < vector.length; axis += 4) {
    first += (vector[axis] ?? 0) * (values[from + axis] ?? 0)
    second += (vector[axis + 1] ?? 0) * (values[from + axis + 1] ?? 0)
    third += (vector[axis + 2] ?? 0) * (values[from + axis + 2] ?? 0)
    fourth += (vector[axis + 3] ?? 0) * (values[from + axis + 3] ?? 0)
  }
  return first + second + third + fourth
}

const lengthOf = (vector: Int8Array): number => {
  let sum = 0
  for (const value of vector) sum += value * value
  return Math.sqrt(sum)
}

const packSigns = (vector: ArrayLike<number>, into: Uint32Array): Uint32Array => {
  for (let axis = 0; axis < vector.length; axis++)
    if ((vector[axis] ?? 0) > 0) into[axis >>> 5] = (into[axis >>> 5] ?? 0) | (1 << (axis & 31))
  return into
}

/** Up to which distance that many lie, by how many lie at each. */
const limitOf = (counts: Uint32Array, wanted: number): number => {
  let limit = 0
  for (let within = counts[0] ?? 0; within < wanted && limit < counts.length - 1; within += counts[limit] ?? 0) limit++
  return limit
}

type Compared = { passages: number[]; similarities: number[] }

const best = ({ passages, similarities }: Compared, count: number): Found[] => {
  // Numbers alone are sorted much faster than what they belong to.
  const least = Float64Array.from(similarities).sort().at(-count) ?? -1
  return passages
    .map((passage, place) => ({ passage, similarity: similarities[place] ?? 0 }))
    .filter(({ similarity }) => similarity >= least)
    .sort((one, other) => other.similarity - one.similarity || one.passage - other.passage)
    .slice(0, count)
}

/** A vector in 8 bits: its direction alone counts, so it is scaled to use all of them. */
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
  #size = 0

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#words = Math.ceil(dimensions / 96) * 3
  }

  get size(): number {
    return this.#size
  }

  /** The passage that was added last; 0 where there is none. */
  get newest(): number {
    const last = this.#blocks.at(-1)
    return last?.passages[last.length - 1] ?? 0
  }

  /** What it takes of memory. */
  get bytes(): number {
    const ofRow = 8 + this.dimensions + 4 + 4 * this.#words + 2
    return this.#blocks.reduce((sum, { passages }) => sum + passages.length * ofRow, 0)
  }

  /** Adds vectors, one after the other in `vectors`, with the numbers of their passages. */
  add(passages: readonly number[], vectors: Int8Array): void {
    for (const [place, passage] of passages.entries()) {
      const vector = vectors.subarray(place * this.dimensions, (place + 1) * this.dimensions)
      const block = this.#roomyBlock()
      const row = block.length++
      this.#size++
      block.passages[row] = passage
      block.values.set(vector, row * this.dimensions)
      block.scales[row] = 1 / (lengthOf(vector) || 1)
      packSigns(vector, block.signs.subarray(row * this.#words, (row + 1) * this.#words))
    }
  }

  /** The cosine of a vector and a passage's; undefined where the passage has none here. */
  similarity(vector: Float32Array, passage: number): number | undefined {
    const found = this.#find(passage)
    return found && this.#compare(vector, found.block, found.row)
  }

  /** A passage's vector, of length 1; undefined where the passage has none here. */
  vectorOf(passage: number): Float32Array | undefined {
    const found = this.#find(passage)
    if (!found) return undefined
    const { values, scales } = found.block
    const from = found.row * this.dimensions
    return Float32Array.from(values.subarray(from, from + this.dimensions), (value) => value * (scales[found.row] ?? 0))
  }

  /** The passages that are nearest to a vector of length 1, of those that are accepted; the nearest first. */
  nearest(vector: Float32Array, count: number, accepts: (passage: number) => boolean): Found[] {
    const counts = this.#measure(vector)
    const wanted = Math.max(leastCompared, count * comparedForEach)
    // Where many are not accepted, what lies farther is looked at, too.
    for (let within = wanted; ; within *= 4) {
      const limit = limitOf(counts, within)
      const found = this.#compareWithin(limit, vector, accepts)
      if (found.passages.length >= wanted / 2 || limit === this.dimensions) return best(found, count)
    }
  }

  /** Writes how many signs of each vector differ from those of this one, or 0 where the vectors are few; counts them. */
  #measure(vector: Float32Array): Uint32Array {
    const signs = packSigns(vector, new Uint32Array(this.#words))
    const isSmall = this.#size <= mostCompared
    const counts = new Uint32Array(this.dimensions + 1)
    for (const block of this.#blocks)
      for (let row = 0; row < block.length; row++) {
        const distance = isSmall ? 0 : countDifferences(signs, block.signs, row * signs.length)
        block.distances[row] = distance
        counts[distance] = (counts[distance] ?? 0) + 1
      }
    return counts
  }

  #compareWithin(limit: number, vector: Float32Array, accepts: (passage: number) => boolean): Compared {
    const compared: Compared = { passages: [], similarities: [] }
    for (const block of this.#blocks)
      for (let row = 0; row < block.length; row++) {
        const passage = block.passages[row] ?? 0
        if ((block.distances[row] ?? 0) > limit || !accepts(passage)) continue
        compared.passages.push(passage)
        compared.similarities.push(this.#compare(vector, block, row))
      }
    return compared
  }

  #compare(vector: Float32Array, { values, scales }: Block, row: number): number {
    return multiply(vector, values, row * this.dimensions) * (scales[row] ?? 0)
  }

  /** The block that the next vector goes to: blocks grow with the Brain, so that a small one takes little. */
  #roomyBlock(): Block {
    const last = this.#blocks.at(-1)
    if (last && last.length < last.passages.length) return last
    const rows = Math.min(largestBlock, Math.max(smallestBlock, this.#size >>> 2))
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

  #find(passage: number): { block: Block; row: number } | undefined {
    const block = this.#blocks.findLast(({ passages }) => (passages[0] ?? 0) <= passage)
    if (!block) return undefined
    let [low, high] = [0, block.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((block.passages[middle] ?? 0) < passage) low = middle + 1
      else high = middle
    }
    return low < block.length && block.passages[low] === passage ? { block, row: low } : undefined
  }
}
