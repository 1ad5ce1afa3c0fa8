import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { spool } from './spool.ts'

const MiB = 1024 * 1024
const toPiece = (n: number) => Buffer.alloc(MiB, String.fromCharCode(97 + n))

/** A source of `count` pieces of a MiB; `ended` resolves when the source is released. */
const createSource = (count: number, failure?: Error) => {
  const ended = Promise.withResolvers<void>()
  async function* read() {
    try {
      for (let n = 0; n < count; n++) yield toPiece(n)
      if (failure) throw failure
    } finally {
      ended.resolve()
    }
  }
  return { pieces: read(), ended: ended.promise }
}

test('a source is read to its end while its reader has taken one piece, and the reader gets everything in order', async () => {
  const source = createSource(12)
  const spooled = spool(source.pieces)
  const taken = [(await spooled.next()).value as Buffer]
  await source.ended
  for await (const piece of spooled) taken.push(piece)
  expect(Buffer.concat(taken).equals(Buffer.concat(Array.from({ length: 12 }, (_, n) => toPiece(n))))).toBe(true)
})

test('a reader that keeps up gets everything as well, whether or not it fell behind in between', async () => {
  const source = createSource(20)
  const taken: Buffer[] = []
  for await (const piece of spool(source.pieces)) {
    taken.push(piece)
    if (taken.length === 2) for (let turn = 0; turn < 50; turn++) await setImmediate()
  }
  expect(Buffer.concat(taken).equals(Buffer.concat(Array.from({ length: 20 }, (_, n) => toPiece(n))))).toBe(true)
})

test('when the reader leaves, the source is left', async () => {
  const source = createSource(1_000)
  for await (const _piece of spool(source.pieces)) break
  await source.ended
})

test('a failing source fails its reader, after its earlier bytes', async () => {
  const taken: number[] = []
  const reading = async () => {
    for await (const piece of spool(createSource(6, new Error('lost')).pieces)) taken.push(piece.length)
  }
  await expect(reading()).rejects.toThrow('lost')
  expect(taken.reduce((sum, length) => sum + length, 0)).toBe(6 * MiB)
})
