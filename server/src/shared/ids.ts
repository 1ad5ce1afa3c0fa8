import { randomFillSync } from 'node:crypto'

// Crockford's base 32: no letters that look like digits, and text order is number order.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix =
  | 'brn'
  | 'rec'
  | 'stm'
  | 'chg'
  | 'cmt'
  | 'key'
  | 'msg'
  | 'dlv'
  | 'snp'
  | 'rcp'
  | 'whk'
  | 'run'
  | 'shr'
  | 'tsk'
  | 'opr'
  | 'agt'
  | 'trg'
  | 'prj'
  | 'cnv'
  | 'sch'
  | 'con'
  | 'aud'
  | 'evt'
  | 'inv'
  | 'ers'
  | 'ntf'
  | 'art'
  | 'web'
  | 'evl'
  | 'evr'
  | 'gol'
  | 'dst'
  | 'drv'

const randomPool = Buffer.alloc(4096)
let poolPosition = randomPool.length

const randomByte = (): number => {
  if (poolPosition === randomPool.length) {
    randomFillSync(randomPool)
    poolPosition = 0
  }
  return randomPool[poolPosition++] ?? 0
}

let lastTime = 0
let lastTail: Uint8Array = new Uint8Array(16)

/** Adds one to the random tail, so that ids made within one millisecond still sort in the order they were made. */
const increment = (tail: Uint8Array): Uint8Array => {
  const next = Uint8Array.from(tail)
  for (let index = next.length - 1; index >= 0; index--) {
    const digit = ((next[index] ?? 0) + 1) % 32
    next[index] = digit
    if (digit !== 0) break
  }
  return next
}

/** Milliseconds as the digits that an id begins with. */
const writeTime = (time: number): string => {
  let text = ''
  for (let rest = time, digit = 0; digit < 10; digit++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** Returns the lower bound of all ids made at this time or later. */
export const firstIdAt = (prefix: IdPrefix, time: Date): string => `${prefix}_${writeTime(Math.max(0, time.getTime()))}`

/**
 * A new id: the prefix, then a ULID in lower case (48 bits of milliseconds, 80 random bits), so ids sort by time.
 * Within one process they never go backwards.
 */
export const newId = (prefix: IdPrefix, now: Date = new Date()): string => {
  const time = Math.max(now.getTime(), lastTime)
  lastTail = time === lastTime ? increment(lastTail) : Uint8Array.from({ length: 16 }, () => randomByte() & 31)
  lastTime = time
  let text = writeTime(time)
  for (const digit of lastTail) text += alphabet.charAt(digit)
  return `${prefix}_${text}`
}

/** Lets ids start before the last one again: a process whose tests moved a clock ahead calls it between them. */
export const restartIds = (): void => {
  lastTime = 0
}

const ulidLength = 26

/**
 * Converts an id to its 128 bits as a UUID, for tables in which a text would be too large; undefined if the text is not
 * such an id.
 */
export const toUuid = (prefix: IdPrefix, id: string): string | undefined => {
  if (id.length !== prefix.length + 1 + ulidLength || !id.startsWith(`${prefix}_`)) return undefined
  let bits = 0n
  for (const character of id.slice(-ulidLength)) {
    const digit = alphabet.indexOf(character)
    if (digit === -1) return undefined
    bits = (bits << 5n) | BigInt(digit)
  }
  if (bits >> 128n) return undefined
  return uuidText(bits.toString(16).padStart(32, '0'))
}

const uuidText = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The least UUID of ids that are made at a time or later. */
export const firstUuidAt = (time: Date): string =>
  uuidText(time.getTime().toString(16).padStart(12, '0').padEnd(32, '0'))

/** The id of these bits. */
export const fromUuid = (prefix: IdPrefix, uuid: string): string => {
  let bits = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  for (let digit = 0; digit < ulidLength; digit++) {
    text = alphabet.charAt(Number(bits & 31n)) + text
    bits >>= 5n
  }
  return `${prefix}_${text}`
}
