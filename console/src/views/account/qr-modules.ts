// Draws a text as a QR code (ISO/IEC 18004): bytes, error correction M, versions 1 to 15, which hold 412 bytes. A library would be
// ten times as long, and most of it for what is not drawn here.

/** Of each version: error correction bytes a block, and blocks. */
const corrections = [
  [10, 1],
  [16, 1],
  [26, 1],
  [18, 2],
  [24, 2],
  [16, 4],
  [18, 4],
  [22, 4],
  [22, 5],
  [26, 5],
  [30, 5],
  [22, 8],
  [22, 9],
  [24, 9],
  [24, 10],
] as const

type Grid = { size: number; dark: boolean[][]; fixed: boolean[][] }

const toSize = (version: number): number => version * 4 + 17

/** How many modules carry data, in all. */
const countModules = (version: number): number => {
  const base = (16 * version + 128) * version + 64
  if (version < 2) return base
  const marks = Math.floor(version / 7) + 2
  return base - (25 * marks - 10) * marks + 55 - (version >= 7 ? 36 : 0)
}

const multiply = (one: number, other: number): number => {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d)
    product ^= ((other >>> bit) & 1) * one
  }
  return product
}

/** The divisor of Reed and Solomon of a degree, without its first coefficient. */
const toDivisor = (degree: number): number[] => {
  const divisor = [...Array<number>(degree - 1).fill(0), 1]
  let root = 1
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at] ?? 0, root) ^ (divisor[at + 1] ?? 0)
    root = multiply(root, 2)
  }
  return divisor
}

const toRemainder = (data: readonly number[], divisor: readonly number[]): number[] => {
  const rest = divisor.map(() => 0)
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0)
    rest.push(0)
    divisor.forEach((coefficient, at) => {
      rest[at] = (rest[at] ?? 0) ^ multiply(coefficient, factor)
    })
  }
  return rest
}

/** The bytes of data with those that correct errors, in the order in which they are drawn. */
const interleave = (data: readonly number[], version: number): number[] => {
  const [length, count] = corrections[version - 1] ?? [10, 1]
  const all = Math.floor(countModules(version) / 8)
  const short = Math.floor(all / count) - length
  const isLong = (block: number) => block >= count - (all % count)
  const divisor = toDivisor(length)
  let at = 0
  const blocks = Array.from({ length: count }, (_, block) => {
    const part = data.slice(at, at + short + (isLong(block) ? 1 : 0))
    at += part.length
    return { part, correction: toRemainder(part, divisor) }
  })
  const columns = (rows: readonly (readonly number[])[], width: number) =>
    Array.from({ length: width }, (_, column) => rows.flatMap((row) => row[column] ?? [])).flat()
  return [
    ...columns(
      blocks.map(({ part }) => part),
      short + 1,
    ),
    ...columns(
      blocks.map(({ correction }) => correction),
      length,
    ),
  ]
}

const toBits = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => (value >>> (count - 1 - at)) & 1)

const countData = (version: number): number => {
  const [length, count] = corrections[version - 1] ?? [10, 1]
  return Math.floor(countModules(version) / 8) - length * count
}

const encode = (text: string): { version: number; bytes: number[] } => {
  const given = [...new TextEncoder().encode(text)]
  const version =
    corrections.findIndex((_, at) => countData(at + 1) * 8 >= 4 + (at + 1 < 10 ? 8 : 16) + given.length * 8) + 1
  if (version === 0) throw new Error('This is too long for a QR code.')
  const bits = [
    ...toBits(4, 4),
    ...toBits(given.length, version < 10 ? 8 : 16),
    ...given.flatMap((byte) => toBits(byte, 8)),
  ]
  const room = countData(version) * 8
  bits.push(...Array<number>(Math.min(4, room - bits.length)).fill(0))
  bits.push(...Array<number>((8 - (bits.length % 8)) % 8).fill(0))
  const bytes = Array.from({ length: bits.length / 8 }, (_, at) =>
    bits.slice(at * 8, at * 8 + 8).reduce((byte, bit) => byte * 2 + bit, 0),
  )
  for (let pad = 0xec; bytes.length < room / 8; pad ^= 0xec ^ 0x11) bytes.push(pad)
  return { version, bytes }
}

const set = ({ dark, fixed }: Grid, x: number, y: number, isDark: boolean): void => {
  const [row, marks] = [dark[y], fixed[y]]
  if (!row || !marks || row[x] === undefined) return
  row[x] = isDark
  marks[x] = true
}

const drawFinder = (grid: Grid, x: number, y: number): void => {
  for (let dy = -4; dy <= 4; dy += 1)
    for (let dx = -4; dx <= 4; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy))
      set(grid, x + dx, y + dy, ring !== 2 && ring !== 4)
    }
}

const findMarks = (version: number): number[] => {
  if (version === 1) return []
  const count = Math.floor(version / 7) + 2
  const step = Math.floor((version * 8 + count * 3 + 5) / (count * 4 - 4)) * 2
  const marks = Array.from({ length: count - 1 }, (_, at) => toSize(version) - 7 - at * step)
  return [6, ...marks.reverse()]
}

const drawMarks = (grid: Grid, version: number): void => {
  const places = findMarks(version)
  const last = places.length - 1
  places.forEach((x, column) => {
    places.forEach((y, row) => {
      if ((column === 0 && (row === 0 || row === last)) || (column === last && row === 0)) return
      for (let dy = -2; dy <= 2; dy += 1)
        for (let dx = -2; dx <= 2; dx += 1) set(grid, x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
    })
  })
}

/** Of error correction M, and the mask. */
const drawFormat = (grid: Grid, mask: number): void => {
  let rest = mask
  for (let step = 0; step < 10; step += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537)
  const bits = ((mask << 10) | rest) ^ 0x5412
  const { size } = grid
  const at = (bit: number) => ((bits >>> bit) & 1) === 1
  for (let bit = 0; bit <= 5; bit += 1) set(grid, 8, bit, at(bit))
  set(grid, 8, 7, at(6))
  set(grid, 8, 8, at(7))
  set(grid, 7, 8, at(8))
  for (let bit = 9; bit < 15; bit += 1) set(grid, 14 - bit, 8, at(bit))
  for (let bit = 0; bit < 8; bit += 1) set(grid, size - 1 - bit, 8, at(bit))
  for (let bit = 8; bit < 15; bit += 1) set(grid, 8, size - 15 + bit, at(bit))
  set(grid, 8, size - 8, true)
}

const drawVersion = (grid: Grid, version: number): void => {
  if (version < 7) return
  let rest = version
  for (let step = 0; step < 12; step += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25)
  const bits = (version << 12) | rest
  for (let bit = 0; bit < 18; bit += 1) {
    const [a, b] = [grid.size - 11 + (bit % 3), Math.floor(bit / 3)]
    set(grid, a, b, ((bits >>> bit) & 1) === 1)
    set(grid, b, a, ((bits >>> bit) & 1) === 1)
  }
}

const drawFixed = (version: number): Grid => {
  const size = toSize(version)
  const make = () => Array.from({ length: size }, () => Array<boolean>(size).fill(false))
  const grid = { size, dark: make(), fixed: make() }
  for (let at = 0; at < size; at += 1) {
    set(grid, 6, at, at % 2 === 0)
    set(grid, at, 6, at % 2 === 0)
  }
  drawFinder(grid, 3, 3)
  drawFinder(grid, size - 4, 3)
  drawFinder(grid, 3, size - 4)
  drawMarks(grid, version)
  drawFormat(grid, 0)
  drawVersion(grid, version)
  return grid
}

/** Fills the free modules in their order, under the first mask: every second one is turned. */
const drawData = ({ size, dark, fixed }: Grid, bytes: readonly number[]): void => {
  let bit = 0
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5
    for (let step = 0; step < size; step += 1) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step
      for (const x of [right, right - 1]) {
        const row = dark[y]
        if (!row || fixed[y]?.[x] !== false) continue
        const value = ((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1
        row[x] = (value === 1) !== ((x + y) % 2 === 0)
        bit += 1
      }
    }
  }
}

/** The modules of the code of a text, row by row: true is dark. Readers take any mask, so one does. */
export const toQrCode = (text: string): readonly (readonly boolean[])[] => {
  const { version, bytes } = encode(text)
  const grid = drawFixed(version)
  drawData(grid, interleave(bytes, version))
  return grid.dark
}
