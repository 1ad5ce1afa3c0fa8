// Moves the vector of a query towards those of the best passages, to score the same candidates a second time
// (pseudo-relevance feedback: Rocchio 1971). Pure.

/** A vector of a passage, and its weight among all. */
export type WeighedVector = { weight: number; vector: Float32Array }

/** Adds vectors of passages to a query's vector by their weights, so that they make a share of it. All have length 1, also the result. */
export const addFeedbackVectors = (
  query: Float32Array,
  share: number,
  passages: readonly WeighedVector[],
): Float32Array => {
  const whole = passages.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return query
  const moved = query.map((value, axis) =>
    passages.reduce(
      (sum, { weight, vector }) => sum + (share * weight * (vector[axis] ?? 0)) / whole,
      (1 - share) * value,
    ),
  )
  const length = Math.hypot(...moved)
  return length === 0 ? query : moved.map((value) => value / length)
}
