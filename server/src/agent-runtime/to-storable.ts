// PostgreSQL stores no character U+0000 and no half of a surrogate pair. Texts of models and tools may have them.

const isSuspect = /\\u0000|\\ud[89a-f]/i

const cleanText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed()

/** JSON as a reader takes it, each text of it cleaned. A name that is a text is cleaned, too. */
const clean = (value: unknown): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (Array.isArray(value)) return value.map(clean)
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [cleanText(name), clean(one)]))
}

/** A value of JSON as it can be stored: what cannot be in a text is replaced. */
export const toStorable = <Value>(value: Value): Value =>
  isSuspect.test(JSON.stringify(value)) ? (clean(value) as Value) : value
