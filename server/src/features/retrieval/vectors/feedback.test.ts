import { expect, test } from 'vitest'
import { addFeedbackVectors } from './feedback.ts'

test('a vector moves towards those of feedback and keeps its length', () => {
  const moved = addFeedbackVectors(Float32Array.of(1, 0), 0.3, [{ weight: 0.5, vector: Float32Array.of(0, 1) }])
  expect(Math.hypot(...moved)).toBeCloseTo(1)
  expect(moved[0]).toBeGreaterThan(moved[1] ?? 1)
  expect(moved[1]).toBeGreaterThan(0.3)
})

test('without the vectors of feedback, the query stays unchanged', () => {
  const asked = Float32Array.of(1, 0)
  expect(addFeedbackVectors(asked, 0.3, [])).toBe(asked)
})
