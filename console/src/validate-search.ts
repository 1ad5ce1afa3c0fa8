// The search of an address is the state of a view. The router gives texts as they stand there; these read what a view
// wants of them, and undefined for whatever is not that, so that a mistyped address still opens.

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

/** Texts with commas between them. */
export const readList = (value: unknown): string[] | undefined => {
  const list = Array.isArray(value) ? value.map(String) : (readText(value)?.split(',') ?? [])
  const kept = list.filter((text) => text !== '')
  return kept.length > 0 ? kept : undefined
}

/** Whether something is on: `?open=true`. */
export const readFlag = (value: unknown): true | undefined => (String(value) === 'true' ? true : undefined)

type Readers = Readonly<Record<string, (value: unknown) => unknown>>
type Search<R extends Readers> = { [Name in keyof R]?: ReturnType<R[Name]> | undefined }

/** The search of a route: what each of its names reads as. Every one of them may be left out of a link. */
export const defineSearch =
  <R extends Readers>(readers: R) =>
  (given: Record<string, unknown>): Search<R> =>
    Object.fromEntries(Object.entries(readers).map(([name, read]) => [name, read(given[name])])) as Search<R>
