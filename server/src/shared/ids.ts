import { randomFillSync } from 'node:crypto'

// Crockford's base 32: no letters that are mistaken for digits, and text order is number order.
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix = 'brn' | 'rec' | 'stm' | 'chg' | 'key' | 'msg' | 'snp' | 'whk'

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

/**
 * A new id: the prefix, then a ULID in lower case (48 bits of milliseconds, 80 random bits), so ids sort by time.
 * Within one process they never go backwards.
 */
export const newId = (prefix: IdPrefix, now: Date = new Date()): string => {
  const time = Math.max(now.getTime(), lastTime)
  lastTail = time === lastTime ? increment(lastTail) : Uint8Array.from({ length: 16 }, () => randomByte() & 31)
  lastTime = time
  let text = ''
  for (let rest = time, digit = 0; digit < 10; digit++) {
    text = alphabet.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  for (const digit of lastTail) text += alphabet.charAt(digit)
  return `${prefix}_${text}`
}
