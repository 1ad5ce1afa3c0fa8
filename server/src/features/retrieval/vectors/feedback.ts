// The vector of a query is moved towards those of the best passages of a first look, for a second look at the same
// candidates (pseudo-relevance feedback: Rocchio 1971). Pure.

/** Makes a share of a query's vector of those of passages, each by its weight. All have length 1, as has what is given. */
export const addFeedbackVectors = (
  asked: Float32Array,
  share: number,
  passages: readonly { weight: number; vector: Float32Array }[],
): Float32Array => {
  const whole = passages.reduce((sum, { weight }) => sum + weight, 0)
  if (whole === 0) return asked
  const moved = asked.map((value, axis) =>
    passages.reduce(
      (sum, { weight, vector }) => sum + (share * weight * (vector[axis] ?? 0)) / whole,
      (1 - share) * value,
    ),
  )
  const length = Math.hypot(...moved)
  return length === 0 ? asked : moved.map((value) => value / length)
}
