import { readFileSync } from 'node:fs'

// Arithmetic on whole vectors, in WebAssembly (kernel.wat): several times as fast as a loop here. Rows are copied into the kernel's
// memory first, which costs less than comparing them, so that vectors stay in memory that can be freed.

// TypeScript declares this only for browsers.
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object
  Instance: new (module: object) => { exports: object }
}

type Exports = {
  memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  countDifferences(query: number, rows: number, count: number, bytes: number, counts: number): void
  multiply(query: number, rows: number, count: number, bytes: number, products: number): void
}

const code = readFileSync(new URL('kernel.wasm', import.meta.url))
const kernel = new WebAssembly.Instance(new WebAssembly.Module(code)).exports as Exports

/** The number of bytes that the kernel reads at a time. */
const step = 16
const padded = (bytes: number): number => Math.ceil(bytes / step) * step

/** The maximum of bytes that one call compares, unless one row is longer. */
const bytesAtOnce = 1 << 18

/** The kernel's memory with room for so many bytes. */
const roomFor = (bytes: number): ArrayBuffer => {
  const lacking = bytes - kernel.memory.buffer.byteLength
  if (lacking > 0) kernel.memory.grow(Math.ceil(lacking / 65_536))
  return kernel.memory.buffer
}

/** Counts the bits of each row that differ from those of a vector. Rows follow each other, each as long as the vector. */
export const countDifferences = (signs: Uint32Array, rows: Uint32Array, counts: Uint16Array, count: number): void => {
  const rowsAtOnce = Math.max(1, Math.floor(bytesAtOnce / signs.byteLength))
  const begin = padded(signs.byteLength)
  const after = begin + rowsAtOnce * signs.byteLength
  const memory = roomFor(after + rowsAtOnce * 2)
  new Uint32Array(memory).set(signs)
  for (let from = 0; from < count; from += rowsAtOnce) {
    const now = Math.min(rowsAtOnce, count - from)
    new Uint32Array(memory, begin).set(rows.subarray(from * signs.length, (from + now) * signs.length))
    kernel.countDifferences(0, begin, now, signs.byteLength, after)
    counts.set(new Uint16Array(memory, after, now), from)
  }
}

/** The products of a vector with rows of bytes, in their order. `copyRow` writes a row at an offset. */
export const multiply = (
  vector: Float32Array,
  count: number,
  copyRow: (number: number, into: Int8Array, at: number) => void,
): Float32Array => {
  const width = padded(vector.length)
  const rowsAtOnce = Math.max(1, Math.floor(bytesAtOnce / width))
  const begin = width * 4
  const after = begin + rowsAtOnce * width
  const memory = roomFor(after + rowsAtOnce * 4)
  // Padding after a vector's end is multiplied by zeros.
  new Float32Array(memory, 0, width).fill(0).set(vector)
  const rows = new Int8Array(memory, begin, rowsAtOnce * width)
  const products = new Float32Array(count)
  for (let from = 0; from < count; from += rowsAtOnce) {
    const now = Math.min(rowsAtOnce, count - from)
    for (let row = 0; row < now; row++) copyRow(from + row, rows, row * width)
    kernel.multiply(0, begin, now, width, after)
    products.set(new Float32Array(memory, after, now), from)
  }
  return products
}
