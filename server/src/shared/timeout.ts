/** Waits for a promise up to a limit and then returns `otherwise`; a later result is ignored. */
export const withTimeout = async <Result, Otherwise = undefined>(
  something: Promise<Result>,
  milliseconds: number,
  otherwise?: Otherwise,
): Promise<Result | Otherwise> => {
  const { promise: tooLate, resolve } = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => resolve(otherwise as Otherwise), milliseconds)
  return Promise.race([something, tooLate]).finally(() => clearTimeout(timer))
}
