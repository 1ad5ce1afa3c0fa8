/** A value as PostgreSQL reads it; undefined for one that the driver must convert. */
export const toText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  if (!(value instanceof Date)) return undefined
  const text = value.toISOString()
  // PostgreSQL writes years of more digits, and those before the first, in another way.
  return text.startsWith('+') || text.startsWith('-') ? undefined : text
}

const special = /["\\]/

/** Adds a value to the items of an array; undefined if the driver must convert it. */
export const addItem = (items: string, value: unknown): string | undefined => {
  const before = items === '' ? '' : `${items},`
  if (value === null) return `${before}NULL`
  if (typeof value === 'number') return before + value
  const text = toText(value)
  if (text === undefined) return undefined
  return special.test(text) ? `${before}"${text.replace(/["\\]/g, '\\$&')}"` : `${before}"${text}"`
}

/** An array of values as PostgreSQL reads it; undefined if the driver must convert one of them. */
export const toArrayText = (values: readonly unknown[]): string | undefined => {
  let items: string | undefined = ''
  for (const value of values) {
    items = addItem(items, value)
    if (items === undefined) return undefined
  }
  return `{${items}}`
}
