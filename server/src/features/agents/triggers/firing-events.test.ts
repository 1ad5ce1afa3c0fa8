import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxLineage, toLineage } from './firing-events.ts'

const trigger = fc.constantFrom('trg_a', 'trg_b', 'trg_c', 'trg_d')
const lineage = fc.array(trigger, { minLength: 1, maxLength: maxLineage })

test('D-77 a run comes of the longest line behind it, and no line is longer than three or starts itself', () => {
  fc.assert(
    fc.property(trigger, fc.array(lineage, { maxLength: 4 }), (id, behind) => {
      const made = toLineage(id, behind)
      const isOwn = behind.some((line) => line.at(-1) === id)
      const isFull = behind.some((line) => line.length >= maxLineage)
      expect(made === undefined).toBe(isOwn || isFull)
      if (!made) return
      expect(made.at(-1)).toBe(id)
      expect(made).toHaveLength(1 + Math.max(0, ...behind.map(({ length }) => length)))
      expect(made.length).toBeLessThanOrEqual(maxLineage)
    }),
  )
})

test('D-77 any triggers that feed each other come to an end', () => {
  fc.assert(
    fc.property(fc.array(trigger, { minLength: 1, maxLength: 20 }), (order) => {
      let line: string[] | undefined = []
      let started = 0
      for (const id of order) {
        line = toLineage(id, line.length === 0 ? [] : [line])
        if (!line) break
        started++
      }
      expect(started).toBeLessThanOrEqual(maxLineage)
    }),
  )
})
