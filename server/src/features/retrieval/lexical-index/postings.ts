// A list of postings: the passages that have a term, ascending, and how often each has it. It is packed in runs of
// [count, first passage, times, (step to the next passage, times) …] as variable-length integers. Each run is complete,
// so that the lists of two segments, one after the other, are the list of both: merging needs no unpacking.

/** `maxTimes` is the greatest of `times`. */
export type Postings = { passages: Uint32Array; times: Uint8Array; maxTimes: number }

/** The maximum in `times`. */
export const countableTimes = 255

/** A buffer that grows as numbers are written to it. */
export class PackedNumbers {
  #bytes = new Uint8Array(1 << 16)
  length = 0

  write(value: number): void {
    if (this.length + 10 > this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.length++] = rest
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }
}

/** Packs pairs of passage and times, ascending by passage. */
export const packPostings = (into: PackedNumbers, pairs: readonly number[]): void => {
  into.write(pairs.length / 2)
  let before = 0
  for (let at = 0; at < pairs.length; at += 2) {
    const passage = pairs[at] ?? 0
    into.write(passage - before)
    into.write(Math.min(pairs[at + 1] ?? 1, countableTimes))
    before = passage
  }
}

/** The list of all passages that are in any of some lists. */
export const mergePostings = (lists: readonly Postings[]): Postings => {
  const [only] = lists
  if (only && lists.length === 1) return only
  const times = new Map<number, number>()
  for (const list of lists)
    for (let at = 0; at < list.passages.length; at++) {
      const passage = list.passages[at] ?? 0
      times.set(passage, Math.min(countableTimes, (times.get(passage) ?? 0) + (list.times[at] ?? 0)))
    }
  const passages = Uint32Array.from(times.keys()).sort()
  const merged = Uint8Array.from(passages, (passage) => times.get(passage) ?? 0)
  return { passages, times: merged, maxTimes: merged.reduce((max, one) => Math.max(max, one), 0) }
}

/** Unpacks the list of a term. */
export const unpackPostings = (bytes: Uint8Array): Postings => {
  let at = 0
  const read = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  // Each posting takes two bytes at least, so this is enough.
  const passages = new Uint32Array(bytes.length >> 1)
  const times = new Uint8Array(bytes.length >> 1)
  let length = 0
  let maxTimes = 0
  while (at < bytes.length) {
    let passage = 0
    for (let left = read(); left > 0; left--) {
      passage += read()
      const count = read()
      if (count > maxTimes) maxTimes = count
      passages[length] = passage
      times[length++] = count
    }
  }
  return { passages: passages.slice(0, length), times: times.slice(0, length), maxTimes }
}
