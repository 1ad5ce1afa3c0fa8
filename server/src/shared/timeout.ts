/** Waits for something, but only so long: `otherwise` is the answer then, and what comes later comes for others. */
export const withTimeout = async <Result, Otherwise = undefined>(
  something: Promise<Result>,
  milliseconds: number,
  otherwise?: Otherwise,
): Promise<Result | Otherwise> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => resolve(otherwise as Otherwise), milliseconds)
  return Promise.race([something, tooLate]).finally(() => clearTimeout(timer))
}
