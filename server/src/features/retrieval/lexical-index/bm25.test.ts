import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Collection, findBest, scorePassages } from './bm25.ts'
import { PackedNumbers, packPostings, unpackPostings } from './postings.ts'
import { splitText } from './split-text.ts'

const last = 300
const passage = fc.integer({ min: 1, max: last })
const times = fc.integer({ min: 1, max: 300 })
/** A list of postings, ascending. */
const list = fc
  .uniqueArray(fc.tuple(passage, times), { selector: ([one]) => one, maxLength: last })
  .map((pairs) => pairs.sort(([a], [b]) => a - b))

const pack = (pairs: readonly (readonly number[])[]): Uint8Array => {
  const packed = new PackedNumbers()
  packPostings(packed, pairs.flat())
  return packed.bytes.slice()
}

test('a packed list is unpacked as it was, and two that follow each other are one', () => {
  fc.assert(
    fc.property(list, fc.integer({ min: 0, max: last }), (pairs, at) => {
      const parts = [pairs.filter(([one]) => one <= at), pairs.filter(([one]) => one > at)].filter(
        ({ length }) => length,
      )
      const unpacked = unpackPostings(Buffer.concat(parts.map(pack)))
      expect([...unpacked.passages]).toEqual(pairs.map(([one]) => one))
      expect([...unpacked.times]).toEqual(pairs.map(([, count]) => Math.min(count, 255)))
    }),
  )
})

const collection: Collection = {
  lastPassage: last,
  passages: last,
  averageTerms: 20,
  state: 5,
  filter: undefined,
  segments: [
    {
      base: 0,
      terms: Uint16Array.from({ length: last + 1 }, (_, at) => 5 + (at % 40)),
      fromStates: Uint32Array.from({ length: last + 1 }, (_, at) => at % 8),
      toStates: Uint32Array.from({ length: last + 1 }, (_, at) => (at % 3 === 0 ? 5 : 100)),
    },
  ],
}
const isValid = (one: number) => one % 8 <= 5 && one % 3 !== 0

test('the best passages are found without going through every list, and scored as by going through all', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(list, fc.integer({ min: 1, max: 4 })), { maxLength: 6 }),
      fc.integer({ min: 1, max: 20 }),
      (terms, max) => {
        const query = terms.map(([pairs, weight], at) => ({
          ...{ term: `t${at}`, weight },
          lists: pairs.length > 0 ? [unpackPostings(pack(pairs))] : [],
        }))
        const all = Array.from({ length: last }, (_, at) => at + 1)
        const scores = scorePassages(collection, query, all)
        const best = all
          .map((one) => scores[one - 1] ?? 0)
          .filter((score, at) => score > 0 && isValid(at + 1))
          .sort((a, b) => b - a)
        const found = findBest(collection, query, max)
        expect(found.map(({ score }) => score.toFixed(3))).toEqual(best.slice(0, max).map((score) => score.toFixed(3)))
        for (const { passage: one } of found) expect(isValid(one)).toBe(true)
        for (const [at, score] of scorePassages(
          collection,
          query,
          found.map(({ passage: one }) => one),
        ).entries())
          expect(score).toBeCloseTo(found[at]?.score ?? 0, 3)
      },
    ),
  )
})

test('passages hold all words of a text, in its order, and none is long', () => {
  const texts = ['one two. ', 'x'.repeat(700), '\n\n', '漢字かな。', 'a🧮b ', '... ', 'No end here ', ' '.repeat(50)]
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: texts.length - 1 }), fc.integer({ min: 1, max: 60 })), {
        maxLength: 12,
      }),
      (picks) => {
        const text = picks.map(([which, count]) => (texts[which] ?? '').repeat(count)).join('')
        const passages = [...splitText(text)]
        const kept = passages.map(({ starts, ends }) => text.slice(starts, ends))
        expect(kept.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''))
        for (const [at, { starts, ends }] of passages.entries()) {
          expect(starts).toBeGreaterThanOrEqual(passages[at - 1]?.ends ?? 0)
          expect(ends - starts).toBeLessThanOrEqual(2_000)
          expect(kept[at]?.isWellFormed()).toBe(true)
        }
      },
    ),
  )
})
