// The query of a URL is the state of a view. The router passes raw values. These functions parse them and return undefined for
// invalid ones, so that a mistyped URL still opens.

/** A text that is not empty. */
export const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A whole number, not negative. */
export const readNumber = (value: unknown): number | undefined => {
  const text = String(value ?? '')
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

/** One of these words. */
export const readWord = <Word extends string>(value: unknown, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === value)

/** Values separated by commas. */
export const readList = (value: unknown): string[] | undefined => {
  const list = Array.isArray(value) ? value.map(String) : (readText(value)?.split(',') ?? [])
  const kept = list.filter((text) => text !== '')
  return kept.length > 0 ? kept : undefined
}

/** A flag: `?open=true`. */
export const readFlag = (value: unknown): true | undefined => (String(value) === 'true' ? true : undefined)

type Readers = Readonly<Record<string, (value: unknown) => unknown>>
type Search<R extends Readers> = { [Name in keyof R]?: ReturnType<R[Name]> | undefined }

/** The query of a route: a reader for each parameter. All parameters are optional. */
export const defineSearch =
  <R extends Readers>(readers: R) =>
  (given: Record<string, unknown>): Search<R> =>
    Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(given[name])])) as Search<R>
